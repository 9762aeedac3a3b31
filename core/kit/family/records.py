"""Laws of plans and records: a finite plan space, one canonical form, and a schema that no right record breaks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice, pairwise
from typing import Any, get_args

import attrs

from adidem.core.domain import Items, Record, Scenario, Text, World
from adidem.core.kit import strategies
from adidem.core.kit.law import Broken
from adidem.core.kit.render import plain, plan_line, world_lines
from adidem.core.kit.search import first, smallest
from adidem.core.kit.subject import LARGEST, MOST_PLANS, Sample, Subject
from adidem.core.records import (
    UnreadableRecord,
    fields_of,
    freeze,
    read_record,
    record_schema,
    unreadable_field,
    write_record,
    write_terms,
)

TYPES = (
    "Annotate it with a type of adidem.core.domain - Amount, Time, Text, Items, ByRole[...] or an attrs class of such."
)
Triple = tuple[Scenario, World, Any]


def plans_are_a_space(subject: Subject) -> Broken | None:
    """The plan space is finite, not empty, without doubles, of the family's terms, and the same in both worlds."""
    sample = subject.written
    assert sample.family.terms is not None, "a family that keeps records has terms"
    for kind in (sample.family.terms, sample.family.defer_terms):
        unread = None if kind is None else unreadable_field(kind)
        if kind is not None and unread is not None:
            name, of = unread
            spelled = of.__name__ if isinstance(of, type) and not get_args(of) else of
            what = f"the field {name!r} of {kind.__name__} is of type {spelled}, which no record is read into"
            return Broken(what, change=TYPES)
    for scenario in {scenario.id: scenario for scenario, _ in sample.few}.values():
        spaces = []
        for world in scenario.worlds:
            problem = _space_problem(sample, sample.family.terms, world)
            if problem is not None:
                return Broken(f"plans() of {scenario.id}, world {world.name}: {problem}", world_lines(world, scenario))
            spaces.append({freeze(plan): plan for plan in sample.plans(world)})
        for one, two in pairwise(spaces):
            apart = [plan for key, plan in (*one.items(), *two.items()) if (key in one) != (key in two)]
            if apart:
                what = f"plans() of {scenario.id} lists {plain(write_terms(apart[0]))} in one world alone"
                return Broken(what, tuple(line for world in scenario.worlds for line in world_lines(world, scenario)))
    return None


def schema_accepts_plans(subject: Subject) -> Broken | None:
    """The record schema, which a model's answer is held to, accepts every plan, every right record and the deferral."""
    from jsonschema import Draft202012Validator

    sample = subject.recorded

    def refused(place: tuple[Scenario, World]) -> str | None:
        _, world = place
        checked = Draft202012Validator(record_schema(sample.family, world.public))
        for record in _records(sample, world):
            problem = next(iter(checked.iter_errors(write_record(record))), None)
            if problem is not None:
                path = ".".join(map(str, problem.absolute_path)) or "the record"
                return f"{plain(write_record(record))} is no record by the schema: {path}: {problem.message[:200]}"
        return None

    found = first(sample.few, refused, subject.file)
    return None if found is None else Broken(found.what, world_lines(found.example[1], found.example[0]))


def records_round_trip(subject: Subject) -> Broken | None:
    """A plan written as JSON and read again is the same plan."""
    sample = subject.recorded

    def lost(triple: Triple) -> str | None:
        _, world, plan = triple
        raw = json.loads(json.dumps(write_record(Record("agree", plan))))
        return _read_as(raw, plan, sample, world)

    found = smallest(strategies.worlds_and_plans(sample), lost, subject.examples, subject.file)
    return None if found is None else Broken(found.what, _shown(found.example))


def one_canonical_form(subject: Subject) -> Broken | None:
    """However a plan is spelled in a record (order of keys and lists, case, numbers as text), it is read as one."""
    sample = subject.recorded
    spelt = strategies.worlds_and_plans(sample).flatmap(
        lambda triple: strategies.spellings(triple[2], triple[1].public).map(lambda raw: (triple, raw))
    )

    def misread(example: tuple[Triple, Any]) -> str | None:
        (_, world, plan), raw = example
        return _read_as({"terms": raw, "outcome": "Agreed"}, plan, sample, world)

    found = smallest(spelt, misread, subject.examples, subject.file)
    if found is None:
        return None
    triple, raw = found.example
    return Broken(found.what, (*_shown(triple), f"written as: {plain(raw)}"))


def _read_as(raw: Any, plan: Any, sample: Sample, world: World) -> str | None:
    try:
        read = read_record(raw, sample.family, world.public)
    except UnreadableRecord as error:
        return f"{plain(raw)} cannot be read: {error}"
    if read.terms == plan:
        return None
    return f"{plain(raw)} is read as {plain(write_terms(read.terms))}"


def _shown(triple: Triple) -> tuple[str, ...]:
    scenario, world, plan = triple
    return (*world_lines(world, scenario), plan_line(plan))


def _records(sample: Sample, world: World) -> list[Record]:
    plans = sample.plans(world)
    some = plans[:: max(1, len(plans) // 200)]
    found = [Record("agree", plan) for plan in (*sample.rules.right(world).plans[:50], *some)]
    approver = world.public.approver
    if sample.family.defer_terms is not None and approver is not None:
        found.append(Record("defer", sample.family.defer_terms(approver)))
    return [*found, Record("decline")]


def _space_problem(sample: Sample, terms: type, world: World) -> str | None:
    plans = sample.plans(world)
    if not plans:
        return "there is no plan at all"
    if len(plans) >= MOST_PLANS and next(islice(sample.family.plans(world), LARGEST, None), None) is not None:
        return f"it has more than {LARGEST} plans, or does not end"
    keys = [freeze(plan) for plan in plans]
    choices = sample.choices(world.public)
    for plan in plans:
        if not isinstance(plan, terms):
            return f"it lists {plain(plan)}, no {terms.__name__}"
        stray = _stray(plan, choices)
        if stray is not None:
            return f"it lists {plain(write_terms(plan))}, but choices() has no {stray}"
    if len(set(keys)) < len(keys):
        double = next(plan for plan, key in zip(plans, keys, strict=True) if keys.count(key) > 1)
        return f"it lists {plain(write_terms(double))} twice"
    return None


def _stray(terms: Any, choices: Mapping[str, tuple[str, ...]]) -> str | None:
    """A text of these terms that their field's choices do not hold."""
    of: type = type(terms)
    for name, kind in fields_of(of):
        value = getattr(terms, name)
        if attrs.has(kind):
            found = _stray(value, choices)
            if found is not None:
                return found
        for text in _texts_in(kind, value):
            if name in choices and text not in choices[name]:
                return f"{plain(text)} for {name!r}"
    return None


def _texts_in(kind: Any, value: Any) -> list[Any]:
    if kind in (Text, str):
        return [value]
    if kind == Items:
        return list(value)
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _texts_in(get_args(kind)[1], part)]
    return []
