"""A policy tried on tasks that it was not trained on, with the checks that its reward did not hold.

Every figure is over whole tasks; what could not be scored is counted and in no mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

from attrs import evolve, field, frozen

from adidem.core.domain import SEATS, WORLDS, Rollout, Scenario, Task, Turn, other
from adidem.core.errors import ConfigError
from adidem.core.play.barrier import through
from adidem.core.play.judge import JudgeSeat
from adidem.core.policy.contracts import Codec, Policy
from adidem.core.policy.draw import Draw
from adidem.core.rules import Rules
from adidem.core.runs.plan import spread
from adidem.core.scenarios import load_bank
from adidem.core.training.contracts import Job, Played
from adidem.core.training.prepare import Across, Ready, across_of
from adidem.core.training.recipe import Evaluation
from adidem.core.training.reward import Scorer, Unscored, raw_of
from adidem.core.training.rollouts import Distortion, Options, Partner, play
from adidem.core.training.sides import Talk

FIGURES = ("feasibility", "integrity", "verified_success", "conduct", "no_premature_decline", "substance", "disclosure")

SEED = 20_000
"""Of what is drawn in trying a policy: the same for every one, so that differences are paired."""


@frozen(unsafe_hash=False)
class Trial:
    """One conversation of an evaluation. `found` holds FIGURES in [0, 1], and what a judge said besides; `text` the
    conversation and both records, for people to read. An unscored one has its reason and no figure."""

    task: str
    scenario: str
    family: str
    world: str
    seat: str
    repeat: int
    found: Mapping[str, float] = field(factory=dict)
    turns: int = 0
    text: Sequence[str] = ()
    unscored: str | None = None


@frozen(kw_only=True)
class Settings:
    """How a policy is tried: turns of both at most, the temperature (0: greedily), how often each task, the seed."""

    turns: int = 12
    temperature: float = 1.0
    repeats: int = 1
    seed: int = 0
    together: int = 384


def trial_jobs(scenarios: Sequence[Scenario], settings: Settings) -> list[Job]:
    """Every world and seat of the scenarios; who speaks first is the same in both worlds."""
    found = []
    for scenario in scenarios:
        for repeat in range(settings.repeats):
            opener = Random(f"{settings.seed}/{scenario.id}/{repeat}/opener").choice(SEATS)
            for world in WORLDS[: len(scenario.worlds)]:
                for seat in SEATS:
                    task = Task(scenario, world, seat)
                    found.append(Job(task, repeat, _seed(f"{settings.seed}/{task.id}/{repeat}"), opener))
    return found


async def tried(
    policy: Policy,
    scenarios: Sequence[Scenario],
    rules: Mapping[str, Rules],
    scorer: Scorer,
    partner: Partner,
    settings: Settings,
    barrier_of: Callable[[Talk], Distortion | None] | None = None,
) -> list[Trial]:
    """Every task played and scored. The scorer's judges rate; its reward is not looked at."""
    options = Options(limit=settings.turns, draw=Draw(settings.temperature), together=settings.together)
    played = await play(trial_jobs(scenarios, settings), policy, lambda _: partner, rules, options, barrier_of)
    rollouts = await scorer.rollouts(played)
    return [_trial(each, rollout) for each, rollout in zip(played, rollouts, strict=True)]


def means(trials: Sequence[Trial]) -> dict[str, float]:
    """The mean of each figure over what was scored, and how many were not."""
    found: dict[str, float] = {"unscored": float(sum(each.unscored is not None for each in trials))}
    for name in FIGURES:
        values = [each.found[name] for each in trials if name in each.found]
        if values:
            found[name] = sum(values) / len(values)
    lengths = [each.turns for each in trials if each.unscored is None]
    return {**found, "turns": sum(lengths) / len(lengths)} if lengths else found


@contextmanager
def speaking(policy: Policy, codec: Codec) -> Iterator[Policy]:
    """The policy with another codec for a while."""
    before = policy.codec
    policy.codec = codec
    try:
        yield policy
    finally:
        policy.codec = before


class Shuffled:
    """A codec that hears the words of each of the partner's turns in another order: whoever still succeeds does not
    need what was said. In all else it is the codec."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codec, name)

    def heard(self, turn: Turn, view: Any) -> list[int]:
        """See `Codec`; the order hangs on the text alone."""
        words = turn.text.split()
        mixed = Random(turn.text).sample(words, len(words))
        return self._codec.heard(evolve(turn, text=" ".join(mixed)), view)


def shuffled(codec: Any) -> Any:
    """The codec with the partner's words out of order."""
    return Shuffled(codec)


async def trials_of(ready: Ready, policy: Policy) -> dict[str, list[Trial]]:
    """What the recipe's evaluation asks for: the test tasks at each temperature (`T=1`), with another partner
    (`held_out`), with the partner's words out of order (`shuffled`). Conduct is judged whether it is paid for or not.

    Raises:
        ConfigError: the bank has no such tasks, or a partner is unknown.
    """
    recipe = ready.recipe
    scenarios, evaluations = evaluations_of(ready)
    conduct = JudgeSeat("conduct", ready.setup.components.get("judge", "conduct"))
    scorer = Scorer(ready.rules, evolve(recipe.reward, conduct="gate"), ready.judge, conduct, ready.raters)
    found = {}
    for each in evaluations:
        codec: Any = Shuffled(policy.codec) if each.shuffled else policy.codec
        with speaking(policy, codec):
            found[each.name] = await _tried(policy, scenarios, ready, scorer, each.across, each.settings)
    return found


@frozen(eq=False)
class Attempt:
    """One way in which a policy is tried: its name, who sits across, how."""

    name: str
    across: Across
    settings: Settings
    shuffled: bool = False


def evaluations_of(ready: Ready) -> tuple[list[Scenario], list[Attempt]]:
    """What the recipe's evaluation tries and in which ways; nothing is played.

    Raises:
        ConfigError: the bank has no such tasks, their limit cuts through a scenario, or a partner is unknown.
    """
    asked = ready.recipe.evaluation or Evaluation()
    turns, together = ready.recipe.play.turns, ready.recipe.play.at_once
    settings = Settings(turns=turns, repeats=asked.repeats, seed=SEED, together=together)
    usual = _across(ready, asked.partner)
    found = [Attempt(f"T={t:g}", usual, evolve(settings, temperature=t)) for t in asked.temperatures]
    first = evolve(settings, temperature=asked.temperatures[0])
    if asked.held_out is not None:
        found.append(Attempt("held_out", _across(ready, asked.held_out), first))
    if asked.shuffled:
        found.append(Attempt("shuffled", usual, first, shuffled=True))
    return trial_scenarios(ready), found


async def _tried(
    policy: Policy,
    scenarios: Sequence[Scenario],
    ready: Ready,
    scorer: Scorer,
    across: Across,
    settings: Settings,
) -> list[Trial]:
    partner: Any = across.agent
    barrier = partial(_distorted, across) if across.barrier else None
    return await tried(policy, scenarios, ready.rules, scorer, partner, settings, barrier)


def _distorted(across: Across, talk: Talk) -> Callable[[Turn], Turn]:
    return through(across.barrier, other(talk.job.task.seat), Random(f"{talk.job.seed}/barrier"), talk.turns)


def _across(ready: Ready, spec: str | None) -> Across:
    """Who sits across in an evaluation: the partner of the recipe's `play`, or another behind the same barrier."""
    if spec is None:
        return ready.usual
    return across_of(ready.setup, ready.sources, evolve(ready.recipe.play, partner=spec))


def trial_scenarios(ready: Ready) -> list[Scenario]:
    """The scenarios that the recipe's evaluation tries. Raises ConfigError where the bank has none, or where they
    would be other tasks than are asked for."""
    asked = ready.recipe.evaluation or Evaluation()
    bank = ready.bank
    found = [s for s in load_bank(bank) if s.family in ready.rules and s.split == asked.split and len(s.worlds) > 1]
    if not found:
        raise ConfigError(f"the bank {bank} has no {asked.split} scenario of the recipe's families")
    if asked.limit is None:
        return found
    each = len(SEATS) * len(found[0].worlds)
    if asked.limit % each:
        low = asked.limit // each * each
        near = f"{low} or {low + each}" if low else str(each)
        raise ConfigError(f"evaluation.limit {asked.limit}: a scenario holds {each} tasks: take {near}")
    return spread(found)[: asked.limit // each]


def _trial(played: Played, rollout: Rollout | Unscored) -> Trial:
    task = played.job.task
    blank = Trial(task.id, task.scenario.id, task.scenario.family, task.world, task.seat, played.job.sample)
    if isinstance(rollout, Unscored):
        return evolve(blank, unscored=rollout.reason)
    ratings = {name.rpartition(".")[2]: score for name, score in rollout.ratings.items()}
    found = {**ratings, **rollout.extra, "verified_success": float(bool(rollout.success))}
    return evolve(blank, found=found, turns=len(played.conversation), text=_lines(played))


def _lines(played: Played) -> tuple[str, ...]:
    """The conversation as a person reads it."""
    task = played.job.task
    public, card = task.scenario.public, task.scenario.world(task.world).card(task.seat)
    who = "the tested person's own: "
    talk = [f"{public.name(turn.seat)}: {turn.text}" for turn in played.conversation]
    records = [f"{public.name(seat)} records: {raw_of(record)}" for seat, record in played.records.items()]
    own = who + " ".join(condition.text for condition in card.conditions)
    return (public.story, public.brief, f"Tested: {card.name}. {own}", *talk, *records)


def _seed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 1
