"""Scenarios: a public context, two roles, and two worlds that differ in one private condition."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias

from attrs import evolve, field, frozen

Seat: TypeAlias = Literal["first", "second"]
WorldName: TypeAlias = Literal["a", "b"]
Split: TypeAlias = Literal["train", "dev", "test"]

SEATS: tuple[Seat, Seat] = ("first", "second")
WORLDS: tuple[WorldName, WorldName] = ("a", "b")

WITHHELD = frozenset({"source", "mcq", "environment"})
"""Facts that judges and exporters read and that no card shows: an episode as it was imported, questions about what the
two privately want, and what a data set tells its environment alone."""


def _is_clock(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 5 and value[2] == ":" and (value[:2] + value[3:]).isdecimal()


def other(seat: Seat) -> Seat:
    """The seat across the table."""
    return "second" if seat == "first" else "first"


@frozen
class Role:
    """One of the two people: the seat, the name that records and text use, and who they are (both know that)."""

    seat: Seat
    name: str
    about: str


@frozen(unsafe_hash=False)
class Public:
    """What both roles know.

    `story` says who the two are and why they talk; `brief` says what must be settled and which plans exist;
    `facts` are the family's own numbers and lists behind that text (JSON values); `approver` is the outside person
    a plan may be deferred to, or None.
    """

    story: str
    brief: str
    roles: tuple[Role, Role]
    facts: Mapping[str, Any] = field(factory=dict)
    approver: str | None = None

    def shown(self) -> Public:
        """What the two are given of it: all but the facts that are withheld."""
        if WITHHELD.isdisjoint(self.facts):
            return self
        return evolve(self, facts={key: value for key, value in self.facts.items() if key not in WITHHELD})

    @property
    def names(self) -> tuple[str, str]:
        """The two names, first seat first."""
        return self.roles[0].name, self.roles[1].name

    @property
    def day(self) -> tuple[str, str] | None:
        """The bounds `HH:MM` that times lie between: `facts["day"]` where that is two clock times, else None."""
        day = self.facts.get("day")
        if isinstance(day, list | tuple) and len(day) == 2 and all(_is_clock(at) for at in day):
            return day[0], day[1]
        return None

    def name(self, seat: Seat) -> str:
        """The name of the person in that seat."""
        return self.roles[0 if seat == "first" else 1].name

    def seat(self, name: str) -> Seat | None:
        """The seat of the person of that name (case ignored; a first name will do if no whole name fits), or None."""
        wanted = name.strip().casefold()
        for role in self.roles:
            if wanted and wanted == role.name.strip().casefold():
                return role.seat
        for role in self.roles:
            if wanted and wanted in role.name.casefold().split()[:1]:
                return role.seat
        return None


@frozen(unsafe_hash=False)
class Condition:
    """One thing that only its owner knows: a kind, a JSON value, and the sentence that says it on the owner's card.

    A condition that an agent only heard about may hold None inside a mapping value: that part is unknown, and a
    checker treats it as no constraint.
    """

    owner: Seat
    kind: str
    value: Any
    text: str = ""


@frozen(unsafe_hash=False)
class World:
    """One assignment of private conditions to the two roles.

    `conditions` may be incomplete where a world is imagined by somebody who does not know everything; checkers treat
    a missing condition as no constraint.
    """

    name: str
    public: Public
    conditions: tuple[Condition, ...]

    def of(self, owner: Seat, kind: str) -> Any | None:
        """The value of the owner's condition of that kind, or None where there is none."""
        for condition in self.conditions:
            if condition.owner == owner and condition.kind == kind:
                return condition.value
        return None

    def card(self, seat: Seat) -> RoleCard:
        """What the role in that seat is given: the public context and its own conditions, nothing else."""
        return RoleCard(seat, self.public.shown(), tuple(c for c in self.conditions if c.owner == seat))


@frozen(unsafe_hash=False)
class RoleCard:
    """What one role knows: the public context and its own conditions. Its partner never sees it."""

    seat: Seat
    public: Public
    conditions: tuple[Condition, ...]

    @property
    def name(self) -> str:
        """The name of the person who holds this card."""
        return self.public.name(self.seat)

    @property
    def partner(self) -> str:
        """The name of the other person."""
        return self.public.name(other(self.seat))


@frozen(unsafe_hash=False)
class Scenario:
    """A public context with two worlds, `a` and `b`, that differ in exactly one private condition. A scenario of a
    family without records may have one world alone: its `b` is None.

    `id` is `family/split/NN`; `setting` names the hand-written setting it came from; `tags` mark special sets such
    as `no_dialogue`.
    """

    id: str
    family: str
    split: Split
    setting: str
    public: Public
    a: tuple[Condition, ...]
    b: tuple[Condition, ...] | None = None
    tags: tuple[str, ...] = ()

    @cached_property
    def worlds(self) -> tuple[World, ...]:
        """The worlds, `a` first."""
        sides = [("a", self.a)] if self.b is None else [("a", self.a), ("b", self.b)]
        return tuple(World(name, self.public, conditions) for name, conditions in sides)

    def world(self, name: WorldName) -> World:
        """The world of that name."""
        return self.worlds[0 if name == "a" else 1]

    @cached_property
    def differing(self) -> tuple[tuple[Condition, Condition], ...]:
        """The pairs (in `a`, in `b`) of conditions whose values differ; a certified scenario has exactly one."""
        there = {(c.owner, c.kind): c for c in self.b or ()}
        return tuple(
            (c, there[c.owner, c.kind])
            for c in self.a
            if (c.owner, c.kind) in there and there[c.owner, c.kind].value != c.value
        )


@frozen(unsafe_hash=False)
class Task:
    """A scenario in one of its worlds with one role tested."""

    scenario: Scenario
    world: WorldName
    seat: Seat

    @property
    def id(self) -> str:
        """`family/split/NN/world/seat`."""
        return f"{self.scenario.id}/{self.world}/{self.seat}"
