"""The six families with ears that remember, the tongue, and jobs played by agents: for tests of the lab."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from adidem.core.contracts import Agent
from adidem.core.domain import SEATS, WORLDS, Conversation, Record, Scenario, Task, Turn, Usage, World
from adidem.core.play.judge import JudgeSeat
from adidem.core.policy.tongue import Tongue
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.mouth import Act, say
from adidem.core.policy.tongue.place import Place
from adidem.core.records import write_record
from adidem.core.scenarios import load_bank
from adidem.core.setup import Setup, load
from adidem.core.training.contracts import Job, Played
from adidem.core.training.hearing import training_rules
from adidem.core.training.imitation import demonstrated
from adidem.core.training.lab.base import tongue_of
from adidem.core.training.recipe import Reward
from adidem.core.training.reward import Scorer

FAMILIES = (
    "resource_allocation",
    "authorization",
    "bounded_quantities",
    "joint_scheduling",
    "shared_resource_scheduling",
    "set_consent",
)


@cache
def setup() -> Setup:
    """The packaged registry."""
    return load()


@cache
def rules() -> Any:
    """The rules of the six families."""
    return training_rules(setup().components, FAMILIES)


@cache
def tongue() -> Tongue:
    """The lab's tongue."""
    return tongue_of({name: each.family for name, each in rules().items()})


@cache
def bank(split: str) -> tuple[Scenario, ...]:
    """The shipped scenarios of a split."""
    return tuple(scenario for scenario in load_bank("hico") if scenario.split == split)


def jobs(scenarios: Sequence[Scenario], seed: int = 0) -> list[Job]:
    """Every world and seat of these scenarios, once."""
    tasks = [Task(scenario, world, seat) for scenario in scenarios for world in WORLDS for seat in SEATS]
    return [Job(task, 0, seed * 1000 + at, SEATS[at % 2]) for at, task in enumerate(tasks)]


def shown(some: Sequence[Job], agent: Agent, partner: Agent, limit: int = 8) -> list[Played]:
    """The jobs with that agent in the tested seat."""
    return asyncio.run(demonstrated(some, agent, lambda _: partner, rules(), tongue(), limit))


def judge(name: str) -> JudgeSeat:
    """A judge that asks no model."""
    return JudgeSeat(name, setup().components.get("judge", name))


def scorer(**reward: Any) -> Scorer:
    """Integrity by rules; conduct where the reward asks for it."""
    settings = Reward(**reward)
    conduct = None if settings.conduct == "off" else judge("conduct")
    return Scorer(rules(), settings, judge("integrity_rules"), conduct)


class Stubborn:
    """An agent that does the same at every turn: the acts that `acts(place)` gives, and one record."""

    scripted = True

    def __init__(self, acts: Callable[[Place], Sequence[Act]], record: Callable[[Any], Record] | None = None) -> None:
        self.name = "stubborn"
        self.acts, self.written = acts, record or (lambda _: Record("decline"))

    def join(self, family: Any, checkers: Any, card: Any, rng: Random) -> Any:
        return _Seated(self, Place.of(family, card.public, card.seat), card)

    async def close(self) -> None:
        pass


class _Seated:
    def __init__(self, agent: Stubborn, place: Place, card: Any) -> None:
        self.agent, self.place, self.card = agent, place, card

    async def speak(self, history: Conversation, left: int) -> Turn:
        said = say(self.agent.acts(self.place), self.place, self.card, len(history))
        return Turn(len(history), self.card.seat, said.text, "leave" if said.leaves else "speak")

    async def record(self, history: Conversation, schema: Any, problem: str | None = None) -> Any:
        return write_record(self.agent.written(self.place))

    def usage(self) -> Usage:
        return Usage()


def first_plan(place: Place) -> Any:
    """The first plan of the plan space, whatever the two need."""
    return next(iter(place.family.plans(World("imagined", place.public, ()))))


def telling(place: Place) -> list[Act]:
    """Tell every kind of condition that this seat holds, as the family's scenarios give them."""
    return [(w.TELL, kind) for kind in _kinds(place)]


def _kinds(place: Place) -> list[str]:
    for scenario in bank("train"):
        if scenario.public is place.public:
            return [c.kind for c in scenario.a if c.owner == place.seat]
    raise LookupError("no scenario of the bank")
