"""Demonstrations for the lab's starting policy: real episodes of demonstrators with the lab's partners, a part of them
cut off with a tentative record, before or after the partner's reply."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from random import Random

from adidem.core.contracts import Agent, Checker, Family
from adidem.core.domain import SEATS, WORLDS, Conversation, Episode, Scenario, Task, Turn
from adidem.core.play.episode import Setup, play
from adidem.core.policy.contracts import Codec, View
from adidem.core.policy.tongue import Tongue
from adidem.core.rules import Rules
from adidem.core.runs.plan import spread
from adidem.core.training.contracts import Trajectory
from adidem.core.training.imitation import trajectory_of
from adidem.core.training.lab.demonstrator import CAREFUL, Demonstrator

TENTATIVE = 1 / 3
"""How many demonstrations hold a tentative record: probes are nothing new to the policy."""

INSTRUCTED = 0.15
"""How many are by a careful demonstrator, with the repair instruction in the context: so the policy knows it."""


def drawn_scenarios(families: Mapping[str, Family], count: int, seed: int) -> list[Scenario]:
    """`count` new scenarios of the train settings, families in turn."""
    each = -(-count // len(families))
    found = [scenario for family in families.values() for scenario in family.scenarios("train", seed, each)]
    return spread(found)[:count]


def demonstrate(
    rules: Mapping[str, Rules],
    codec: Tongue,
    scenarios: Iterable[Scenario],
    partner: Agent,
    *,
    each: int,
    turns: int,
    seed: int,
) -> Iterator[Trajectory]:
    """`each` demonstrations of every scenario, world, seat and habits drawn; deterministic by the seed."""
    kinds = ((Demonstrator(), codec), (Demonstrator(habits=CAREFUL), codec.instructed()))
    for number, scenario in enumerate(scenarios):
        for sample in range(each):
            rng = Random(f"{seed}/{number}/{sample}")
            task = Task(scenario, rng.choice(WORLDS), rng.choice(SEATS))
            shown, tongue = kinds[rng.random() < INSTRUCTED]
            setup = Setup(shown, partner, rules, limit=turns, seed=rng.getrandbits(40))
            yield _trajectory(asyncio.run(play(task, setup)), task, rules, tongue, shown, turns, rng)


def _trajectory(
    episode: Episode,
    task: Task,
    rules: Mapping[str, Rules],
    codec: Codec,
    shown: Demonstrator,
    turns: int,
    rng: Random,
) -> Trajectory:
    here = rules[task.scenario.family]
    view = View(here.family, task.scenario.world(task.world).card(task.seat), turns)
    own = [turn.index for turn in episode.turns if turn.seat == task.seat]
    if not own or rng.random() >= TENTATIVE:
        written = episode.records[task.seat]
        return trajectory_of(codec, view, episode.turns, {"outcome": written.outcome, "terms": written.terms})
    cut = rng.choice(own) + rng.choice((1, 2))
    history = episode.turns[:cut]
    raw = _tentative(shown, here.family, here.checkers, view, history)
    return trajectory_of(codec, view, history, raw, "probe")


def _tentative(
    shown: Demonstrator, family: Family, checkers: tuple[Checker, ...], view: View, history: Conversation | tuple[Turn]
) -> object:
    return shown.join(family, checkers, view.card, Random(0)).tentative(history)
