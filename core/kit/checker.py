"""Laws of checkers: violations that say what is wrong, in every world, whatever was written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from attrs import evolve
from hypothesis import strategies as st

from adidem.core.domain import SEATS, Scenario, Seat, Violation, World, other
from adidem.core.errors import UnknownName
from adidem.core.kit import strategies
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.render import plain, plan_line, world_lines
from adidem.core.kit.search import smallest
from adidem.core.kit.subject import Sample, Subject

MOST_FAMILIES = 8
Triple = tuple[Scenario, World, Any]


def families_are_known(subject: Subject) -> Broken | None:
    """Every family that the checker names is registered by somebody."""
    registered = {item.name for item in subject.components.registered if item.kind.name == "family"}
    for name in subject.thing.families or ():
        if name not in registered:
            return Broken(f"`families` names {name!r}: {UnknownName('family', name, registered)}")
    return None


def check_never_raises(subject: Subject) -> Broken | None:
    """Whatever terms a record holds, in a world known in part, the checker answers, and only with violations that say
    which rule is broken, whose it is, and what was found."""

    def wrong(triple: Triple) -> str | None:
        _, world, terms = triple
        return next((problem for v in subject.thing.check(world, terms) if (problem := _problem(v))), None)

    return _searched(subject, wrong, loose=True)


def check_repeats(subject: Subject) -> Broken | None:
    """The same terms in the same world break the same rules each time, whatever the world is called, and neither is
    changed by the looking."""

    def differs(triple: Triple) -> str | None:
        _, world, terms = triple
        before = deepcopy((world, terms))
        one, two = tuple(subject.thing.check(world, terms)), tuple(subject.thing.check(world, terms))
        if one != two:
            return f"the first time {_said(one)}, the second time {_said(two)}"
        renamed = tuple(subject.thing.check(evolve(world, name="imagined"), terms))
        if one != renamed:
            return f"in world {world.name} {_said(one)}; where the same world has another name, {_said(renamed)}"
        return "the world or the terms were changed" if (world, terms) != before else None

    return _searched(subject, differs)


def the_unknown_is_no_constraint(subject: Subject) -> Broken | None:
    """What is not known of a world forbids nothing: with a condition taken out, no rule is broken that was not
    before."""

    def forbids(example: tuple[Triple, World]) -> str | None:
        (_, world, terms), less = example
        whole = {(v.rule, v.seat) for v in subject.thing.check(world, terms)}
        for violation in subject.thing.check(less, terms):
            if (violation.rule, violation.seat) not in whole:
                return f"with less known, {violation.rule!r} is broken: {violation.message}"
        return None

    for sample in _samples(subject):
        found = smallest(_known_less(sample), forbids, subject.examples, subject.file)
        if found is not None:
            (scenario, world, plan), less = found.example
            lines = (*world_lines(world, scenario), plan_line(plan), "known of it:", *world_lines(less)[1:])
            return Broken(found.what, lines)
    return None


def a_seat_is_whose_it_is(subject: Subject) -> Broken | None:
    """A violation that names a seat is not of the other person's condition: it does not stay without that person's own
    conditions while it is gone without the other's."""

    def stays(triple: Triple) -> str | None:
        _, world, terms = triple
        for violation in subject.thing.check(world, terms):
            if violation.seat is None:
                continue
            own, theirs = violation.seat, other(violation.seat)
            if stands(violation, without(world, own), terms) and not stands(violation, without(world, theirs), terms):
                return f"{violation.rule!r} is of {theirs}'s condition and is laid at the door of {own}"
        return None

    def stands(violation: Violation, world: World, terms: Any) -> bool:
        found = subject.thing.check(world, terms)
        return any((v.rule, v.seat) == (violation.rule, violation.seat) for v in found)

    def without(world: World, seat: Seat) -> World:
        return evolve(world, name="imagined", conditions=tuple(c for c in world.conditions if c.owner != seat))

    return _searched(subject, stays)


def it_refuses_something(subject: Subject) -> Broken | None:
    """Some plan of some world breaks a rule, or the checker checks nothing."""
    looked = 0
    for sample in _samples(subject):
        for _, world in sample.few:
            for plan in sample.plans(world):
                looked += 1
                if any(True for _ in subject.thing.check(world, plan)):
                    return None
    return Broken(f"{looked} plans of {len(_samples(subject))} families were looked at and none breaks a rule")


def pairs_survive(subject: Subject) -> Broken | None:
    """With the checker on, every family that it applies to still has a scenario to play."""
    samples = [sample for sample in _samples(subject) if getattr(sample.family, "paired", True)]
    if not samples:
        raise Idle("none of its families has pairs")
    for sample in samples:
        held = {s.id: sample.rules.certificate(s) for s in sample.scenarios}
        if not any(certificate.holds for certificate in held.values()):
            why = next(iter(held.values())).problems[0]
            return Broken(f"none of the {len(held)} scenarios of {sample.family.name} holds any more: {why}")
    return None


def _known_less(sample: Sample) -> st.SearchStrategy[tuple[Triple, World]]:
    """A world, a plan, and the world as somebody knows it who has not heard everything."""
    return strategies.worlds_and_plans(sample).flatmap(
        lambda triple: strategies.lesser(triple[1]).map(lambda world: (triple, world))
    )


def _samples(subject: Subject) -> tuple[Sample, ...]:
    """The families that the checker applies to, that are on and keep records. Raises Idle where there is none."""
    applies = subject.thing.families
    named = [s for s in subject.samples() if applies is None or s.family.name in applies]
    found = [s for s in named if s.scenarios and s.bounded]
    if not found:
        raise Idle("none of its families is on and has plans that can be gone through")
    return tuple(found[:MOST_FAMILIES])


def _searched(subject: Subject, wrong: Any, *, loose: bool = False) -> Broken | None:
    samples = _samples(subject)
    for sample in samples:
        terms = _with_anything(sample) if loose else strategies.worlds_and_plans(sample) | _deferrals(sample)
        found = smallest(terms, wrong, max(20, subject.examples // len(samples)), subject.file)
        if found is not None:
            scenario, world, plan = found.example
            return Broken(found.what, (*world_lines(world, scenario), plan_line(plan, "terms")))
    return None


def _with_anything(sample: Sample) -> Any:
    """Worlds, known in part too, with terms of an agreement or a deferral as a record may hold them."""
    kinds = [kind for kind in (sample.family.terms, sample.family.defer_terms) if kind is not None]

    def at(place: tuple[Scenario, World]) -> Any:
        scenario, world = place
        choices = sample.choices(world.public)
        terms = st.one_of(*(strategies.anything(kind, world.public, choices) for kind in kinds))
        worlds = st.just(world) | strategies.lesser(world)
        return st.tuples(st.just(scenario), worlds, terms)

    return strategies.places(sample).flatmap(at)


def _deferrals(sample: Sample) -> Any:
    """Each world that names an approver, with the deferral to them."""
    kind = sample.family.defer_terms
    found = [(s, w, kind(w.public.approver)) for s, w in sample.places if w.public.approver] if kind is not None else []
    return st.sampled_from(found) if found else st.nothing()


def _problem(violation: Any) -> str | None:
    if not isinstance(violation, Violation):
        return f"it gave {plain(violation)}, no Violation"
    rule: Any = violation.rule
    message: Any = violation.message
    if not isinstance(rule, str) or not rule or not isinstance(message, str) or not message:
        return f"a violation must have a rule and a message in words, not {plain(rule)} and {plain(message)}"
    if violation.seat not in (None, *SEATS):
        return f"the violation of {rule!r} is of the seat {plain(violation.seat)}: it must be first, second or None"
    return None


def _said(violations: Iterable[Violation]) -> str:
    return "; ".join(_rules(violations)) or "nothing"


def _rules(violations: Iterable[Violation]) -> Iterator[str]:
    for violation in violations:
        yield f"{violation.rule} ({violation.message})"
