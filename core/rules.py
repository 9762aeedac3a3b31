"""Feasibility and the pair certificate, derived from checkers and plan spaces alone.

The right outcome is never declared: some plan passes every checker → agree; none does and the public context names an
outside approver → defer; else decline.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.contracts import Checker, Family
from adidem.core.domain import SEATS, Failure, Feasibility, Record, Scenario, Seat, Violation, World
from adidem.core.domain.record import Outcome
from adidem.core.errors import PlanError
from adidem.core.records import UnreadableRecord, freeze, read_record, storable, write_terms

REMEMBERED = 4096

MOST_PLANS = 2_000_000
"""A plan space with more plans than these is taken for one that never ends."""


@frozen(unsafe_hash=False)
class Right:
    """What is right in one world: the outcome, every plan that passes (none unless the outcome is agree), and how
    many plans there are to choose from."""

    outcome: Outcome
    plans: tuple[Any, ...]
    space: int | None = None

    def keys(self, approver: str | None) -> frozenset[Any]:
        """The correct records as hashable keys."""
        if self.outcome == "agree":
            return frozenset(("agree", freeze(plan)) for plan in self.plans)
        return frozenset({(self.outcome, approver if self.outcome == "defer" else None)})


@frozen(unsafe_hash=False)
class Certificate:
    """The enumeration that proves a pair: exactly one differing condition, and correct records that exist in both
    worlds and are disjoint. `problems` is empty when it holds."""

    scenario: str
    a: Right
    b: Right
    problems: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """True when the scenario may be played."""
        return not self.problems

    @property
    def kind(self) -> str:
        """`agree/agree`, `agree/decline` or `agree/defer`: the right outcomes of the two worlds, sorted."""
        return "/".join(sorted((self.a.outcome, self.b.outcome)))


class Rules:
    """A family with the checkers that apply to it: says what is right in a world and judges pairs of records.

    What is right in a world is remembered for the worlds seen last, by identity.
    """

    def __init__(self, family: Family, checkers: Iterable[Checker]) -> None:
        self.family = family
        self.checkers: tuple[Checker, ...] = tuple(
            c for c in checkers if c.families is None or family.name in c.families
        )
        self._extra = tuple(c for c in self.checkers if c.name != family.name)
        self._own = len(self._extra) < len(self.checkers)
        self._remembered: OrderedDict[int, tuple[World, Right]] = OrderedDict()

    def violations(self, world: World, terms: Any) -> tuple[Violation, ...]:
        """Every violation that any checker finds in these terms (an agreement's or a deferral's)."""
        return tuple(v for checker in self.checkers for v in checker.check(world, terms))

    def passing(self, world: World) -> tuple[Any, ...]:
        """The plans that pass every checker, by the family's own fast enumeration where it has one."""
        fast = getattr(self.family, "passing", None)
        if fast is not None and self._own:
            plans, checkers = fast(world), self._extra
        else:
            plans, checkers = self.family.plans(world), self.checkers
        ended = _ended(plans, self.family.name)
        return tuple(p for p in ended if not any(_any(c.check(world, p)) for c in checkers))

    def right(self, world: World) -> Right:
        """The right outcome in this world and every plan that passes."""
        known = self._remembered.get(id(world))
        if known is not None and known[0] is world:
            return known[1]
        plans = self.passing(world)
        if plans:
            outcome: Outcome = "agree"
        elif world.public.approver is not None and self.family.defer_terms is not None:
            outcome = "defer"
        else:
            outcome = "decline"
        right = Right(outcome, plans)
        self._remembered[id(world)] = (world, right)
        if len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)
        return right

    def feasibility(self, world: World, raws: Mapping[Seat, Any]) -> Feasibility:
        """The verdict on what the two roles wrote (JSON each). Records match up to ordering, the outcome is right,
        and no checker finds a violation; each failure says which rule, which role, what value and what was due.
        Never raises, whatever JSON was written."""
        records: dict[Seat, Record] = {}
        failures: list[Failure] = []
        for seat in SEATS:
            try:
                records[seat] = read_record(raws.get(seat), self.family, world.public)
            except UnreadableRecord as error:
                failures.append(Failure("unreadable", "readable", str(error), seat, storable(raws.get(seat))))
        return self.judge(world, records, failures)

    def judge(self, world: World, records: Mapping[Seat, Record], unreadable: Sequence[Failure] = ()) -> Feasibility:
        """The verdict on canonical records; `unreadable` are the failures of those that could not be read."""
        failures = list(unreadable)
        first, second = records.get("first"), records.get("second")
        if first is not None and second is not None:
            failures.extend(_mismatches(first, second, world))
        same = first is not None and first == second
        right = self.right(world).outcome
        for seat in SEATS:
            record = records.get(seat)
            if record is None or (same and seat == "second"):
                continue
            who = None if same else seat
            if record.outcome != right:
                failures.append(_wrong_outcome(record, right, who, world))
            elif record.terms is not None:
                failures.extend(
                    Failure("violation", v.rule, v.message, v.seat, storable(v.found), storable(v.required))
                    for v in self.violations(world, record.terms)
                )
        return Feasibility(tuple(failures))

    def certificate(self, scenario: Scenario) -> Certificate:
        """The pair certificate of a scenario: enumerated, never declared."""
        if scenario.b is None:
            nothing = Right("decline", ())
            return Certificate(scenario.id, nothing, nothing, ("it has one world alone",))
        world_a, world_b = scenario.worlds
        a, b = self.right(world_a), self.right(world_b)
        problems = list(_difference_problems(scenario))
        approver = scenario.public.approver
        shared = a.keys(approver) & b.keys(approver)
        if shared:
            problems.append(f"{len(shared)} correct record(s) are right in both worlds")
        for world, right in ((world_a, a), (world_b, b)):
            if right.outcome == "defer" and self.family.defer_terms is not None:
                deferral = self.family.defer_terms(world.public.approver)
                problems += [
                    f"world {world.name}: the deferral fails: {v.message}" for v in self.violations(world, deferral)
                ]
        return Certificate(scenario.id, a, b, tuple(problems))


def _ended(plans: Iterable[Any], family: str) -> Iterator[Any]:
    for count, plan in enumerate(plans):
        if count >= MOST_PLANS:
            raise PlanError(f"family {family!r}: its plan space does not end (more than {MOST_PLANS} plans)")
        yield plan


def _any(violations: Iterable[Violation]) -> bool:
    return next(iter(violations), None) is not None


def _difference_problems(scenario: Scenario) -> Iterable[str]:
    keys_a = [(c.owner, c.kind) for c in scenario.a]
    there = scenario.b or ()
    keys_b = [(c.owner, c.kind) for c in there]
    if keys_a != keys_b:
        yield "the two worlds do not hold the same conditions in the same order"
        return
    if len(set(keys_a)) < len(keys_a):
        yield "a role has two conditions of one kind"
    changed = [
        (ours, theirs)
        for ours, theirs in zip(scenario.a, there, strict=True)
        if ours.value != theirs.value or ours.text != theirs.text
    ]
    if len(changed) != 1:
        yield f"{len(changed)} conditions differ between the worlds; exactly one must"
    elif changed[0][0].value == changed[0][1].value:
        yield "the differing condition differs in its text alone"


def _mismatches(first: Record, second: Record, world: World) -> Iterable[Failure]:
    one, two = world.public.names
    if first.outcome != second.outcome:
        message = f"{one} recorded {first.outcome}, {two} recorded {second.outcome}"
        yield Failure("mismatch", "outcome", message, None, first.outcome, second.outcome)
    elif first.terms != second.terms:
        ours, theirs = write_terms(first.terms), write_terms(second.terms)
        for name in ours:
            if ours[name] != theirs[name]:
                message = f"{name}: {one} recorded {ours[name]}, {two} recorded {theirs[name]}"
                yield Failure("mismatch", name, message, None, ours[name], theirs[name])


def _wrong_outcome(record: Record, right: Outcome, seat: Seat | None, world: World) -> Failure:
    why = {
        "agree": "a plan exists that fits both",
        "decline": "no plan fits both and there is nobody to ask",
        "defer": f"no plan fits both and {world.public.approver} may decide",
    }[right]
    who = "both" if seat is None else world.public.name(seat)
    message = f"{who} recorded {record.outcome}, but the right outcome is {right}: {why}"
    return Failure("outcome", "outcome", message, seat, record.outcome, right)
