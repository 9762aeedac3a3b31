"""Laws of rules: what the family says passes is what its checkers let through, plan by plan, and nothing but plans."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from adidem.core.domain import SEATS, Record, Scenario, Seat, World
from adidem.core.kit import strategies
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.render import plain, plan_line, world_lines
from adidem.core.kit.search import smallest
from adidem.core.kit.subject import MOST_PLANS, Sample, Subject
from adidem.core.records import UnreadableRecord, freeze, read_record, write_record, write_terms

MOST_COMPARED = 4000


def passing_is_the_enumeration(subject: Subject) -> Broken | None:
    """`passing(world)` gives exactly the plans of `plans(world)` that the family's own checker finds nothing in, also
    where part of the world is not known."""
    sample = subject.recorded
    fast = getattr(sample.family, "passing", None)
    own = [checker for checker in sample.rules.checkers if checker.name == subject.name]
    if fast is None:
        raise Idle("the family has no `passing`")
    if not own:
        raise Idle("the family has no checker of its own name, so `passing` is never asked")

    def differs(place: tuple[Scenario, World]) -> str | None:
        _, world = place
        slow = {freeze(p): p for p in sample.plans(world) if not any(True for _ in own[0].check(world, p))}
        quick = {freeze(p): p for p in fast(world)}
        extra = [plan for key, plan in quick.items() if key not in slow]
        if extra:
            broken = next(iter(own[0].check(world, extra[0])), None)
            why = f": {broken.message}" if broken is not None else " (it is in no plan space)"
            return f"passing() gives {plain(write_terms(extra[0]))}, which does not pass{why}"
        lacking = [plan for key, plan in slow.items() if key not in quick]
        if lacking:
            return f"passing() leaves out {plain(write_terms(lacking[0]))}, which passes"
        return None

    weak = strategies.places(sample).flatmap(
        lambda place: strategies.lesser(place[1]).map(lambda world: (place[0], world))
    )
    tried = max(10, min(subject.examples, MOST_COMPARED * subject.examples // (100 * _space(sample))))
    found = smallest(strategies.places(sample) | weak, differs, tried, subject.file)
    return None if found is None else Broken(found.what, world_lines(found.example[1], found.example[0]))


def feasibility_is_the_enumeration(subject: Subject) -> Broken | None:
    """Two equal records of a plan are feasible exactly where the plan is among those that are right, and a record that
    the two do not share never is."""
    sample = subject.recorded

    def differs(triple: tuple[Scenario, World, Any]) -> str | None:
        _, world, plan = triple
        raw = write_record(Record("agree", plan))
        verdict = sample.rules.feasibility(world, dict.fromkeys(SEATS, raw))
        right = freeze(plan) in {freeze(p) for p in sample.rules.right(world).plans}
        if verdict.passed != right:
            why = verdict.failures[0].message if verdict.failures else "no failure"
            return f"the plan is {'' if right else 'not '}among the right ones, but its records give: {why}"
        alone: dict[Seat, Any] = {"first": raw, "second": {"outcome": "decline", "terms": None}}
        if sample.rules.feasibility(world, alone).passed:
            return "one recorded the plan and the other a decline, and that is called feasible"
        return None

    found = smallest(strategies.worlds_and_plans(sample), differs, subject.examples, subject.file)
    if found is None:
        return None
    scenario, world, plan = found.example
    return Broken(found.what, (*world_lines(world, scenario), plan_line(plan)))


def only_plans_pass(subject: Subject) -> Broken | None:
    """A record in which the rules find nothing is one of the plans: nothing outside the plan space, which certificates
    go through, is ever feasible."""
    sample = subject.recorded
    largest = _space(sample)
    if largest >= MOST_PLANS:
        raise Idle(f"its plan spaces have more than {MOST_PLANS} plans: what lies outside cannot be told")
    spaces: dict[str, frozenset[Any]] = {}

    def passes(example: tuple[Scenario, World, Any]) -> str | None:
        scenario, world, raw = example
        try:
            terms = read_record({"outcome": "agree", "terms": raw}, sample.family, world.public).terms
        except UnreadableRecord:
            return None
        if scenario.id not in spaces:
            spaces[scenario.id] = frozenset(freeze(plan) for plan in sample.plans(world))
        if freeze(terms) in spaces[scenario.id] or sample.rules.violations(world, terms):
            return None
        return f"{plain(write_terms(terms))} breaks no rule, and plans() does not list it"

    found = smallest(_beside_plans(sample), passes, 3 * subject.examples, subject.file)
    return None if found is None else Broken(found.what, world_lines(found.example[1], found.example[0]))


def _beside_plans(sample: Sample) -> Any:
    """A world and JSON terms that are a plan but for one thing, of the right plans where there are any."""

    def at(place: tuple[Scenario, World]) -> Any:
        scenario, world = place
        plans = sample.rules.right(world).plans or sample.plans(world)
        choices = sample.choices(world.public)
        changed = st.sampled_from(plans).flatmap(lambda plan: strategies.beside(plan, world.public, choices))
        return changed.map(lambda raw: (scenario, world, raw))

    return strategies.places(sample).flatmap(at)


def _space(sample: Sample) -> int:
    """How many plans the largest of a few plan spaces holds."""
    return max(1, *(len(sample.plans(world)) for _, world in sample.few))
