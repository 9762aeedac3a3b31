"""Laws of pairs: what is right in one world is wrong in the other, and no rigid answer wins both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adidem.core.domain import SEATS, Record, Scenario
from adidem.core.kit.law import Broken
from adidem.core.kit.render import plain, world_lines
from adidem.core.kit.search import first
from adidem.core.kit.subject import Sample, Subject
from adidem.core.records import freeze, write_record


def pairs_hold(subject: Subject) -> Broken | None:
    """Every scenario has its pair certificate."""
    sample = subject.paired

    def fails(scenario: Scenario) -> str | None:
        certificate = sample.rules.certificate(scenario)
        return None if certificate.holds else f"{scenario.id}: {certificate.problems[0]}"

    found = first(_simplest(sample), fails, subject.file)
    return None if found is None else Broken(found.what, _both(sample, found.example))


def outcomes_vary(subject: Subject) -> Broken | None:
    """Over its scenarios a family has agreements and at least one other right outcome."""
    sample = subject.paired
    seen = {sample.rules.right(world).outcome for _, world in sample.places}
    missing = [] if "agree" in seen else ["agree"]
    missing += [] if len(seen) > 1 else ["decline" if "agree" in seen else "another"]
    if not missing:
        return None
    told = ", ".join(sorted(seen))
    return Broken(f"in all {len(sample.places)} worlds the right outcome is {told}: {' or '.join(missing)} never is")


def no_constant_record_wins(subject: Subject) -> Broken | None:
    """No record that is written down whatever the world is passes in both worlds of a scenario."""
    sample = subject.paired

    def wins(scenario: Scenario) -> str | None:
        for record in _constant(sample, scenario):
            passed = [sample.rules.feasibility(w, dict.fromkeys(SEATS, record)).passed for w in scenario.worlds]
            if len(passed) > 1 and all(passed):
                return f"{scenario.id}: {plain(record)} passes in both worlds"
        return None

    found = first(_simplest(sample), wins, subject.file)
    return None if found is None else Broken(found.what, _both(sample, found.example))


def _simplest(sample: Sample) -> list[Scenario]:
    """Scenarios, the one with the shortest cards first."""
    return list({scenario.id: scenario for scenario, _ in sample.places}.values())


def _constant(sample: Sample, scenario: Scenario) -> Iterator[dict[str, Any]]:
    yield {"outcome": "decline", "terms": None}
    approver = scenario.public.approver
    if sample.family.defer_terms is not None and approver is not None:
        yield write_record(Record("defer", sample.family.defer_terms(approver)))
    seen: set[Any] = set()
    for world in scenario.worlds:
        for plan in sample.rules.right(world).plans:
            if freeze(plan) not in seen:
                seen.add(freeze(plan))
                yield write_record(Record("agree", plan))


def _both(sample: Sample, scenario: Scenario) -> tuple[str, ...]:
    """Both worlds of a scenario, what is right in each, and the plans that are right in both."""
    lines: list[str] = []
    right = []
    for world in scenario.worlds:
        found = sample.rules.right(world)
        right.append({freeze(plan): plan for plan in found.plans})
        lines += world_lines(world, scenario)
        lines.append(f"  right: {found.outcome}, {len(found.plans)} plans of {len(sample.plans(world))}")
    shared = [plan for key, plan in right[0].items() if len(right) > 1 and key in right[1]]
    if shared:
        record = write_record(Record("agree", shared[0]))
        lines.append(f"plan that is right in both worlds: {plain(record['terms'])}")
    return tuple(lines)
