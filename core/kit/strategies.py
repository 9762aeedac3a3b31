"""Hypothesis strategies derived from a component's own terms, plan space and words; imported by the laws alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import attrs
from attrs import evolve
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from adidem.core.domain import Amount, Items, Public, Scenario, Text, Time, World
from adidem.core.kit.subject import Sample
from adidem.core.records import fields_of, write_terms

Place = tuple[Scenario, World]

ODD_AMOUNTS = (0, -1, 0.5, 1, 10**15, -(10**15), 1e-9)
ODD_TEXTS = ("x", "nobody", "the moon", "0", "None", "a, b", "é" * 30)
ODD_TIMES = ("00:00", "23:59", "12:01")


def places(sample: Sample) -> SearchStrategy[Place]:
    """Worlds of the family with their scenarios, the simplest first."""
    return st.sampled_from(sample.places)


def worlds_and_plans(sample: Sample) -> SearchStrategy[tuple[Scenario, World, Any]]:
    """A world and a plan of its plan space."""
    return places(sample).flatmap(lambda place: _plan_in(sample, place))


def _plan_in(sample: Sample, place: Place) -> SearchStrategy[tuple[Scenario, World, Any]]:
    plans = sample.plans(place[1])
    chosen = st.sampled_from(plans) if plans else st.nothing()
    return chosen.map(lambda plan: (*place, plan))


def lesser(world: World) -> SearchStrategy[World]:
    """A world in which some conditions are not known, or known in part: dropped, or with None in a mapping."""
    kept = [st.sampled_from(_less_known(condition)) for condition in world.conditions]
    return st.tuples(*kept).map(
        lambda found: evolve(world, name="imagined", conditions=tuple(c for c in found if c is not None))
    )


def _less_known(condition: Any) -> list[Any]:
    """A condition, then with each of its parts unknown, then not at all."""
    found = [condition]
    if isinstance(condition.value, Mapping):
        found += [evolve(condition, value={**condition.value, part: None}) for part in condition.value]
    return [*found, None]


def anything(terms: type, public: Public, choices: Mapping[str, Sequence[str]]) -> SearchStrategy[Any]:
    """Terms as a record may hold them: of the right types, and otherwise whatever was written down, unless the terms
    refuse it themselves (then no record holds it)."""
    fields = {name: _anything_as(kind, name, public, choices) for name, kind in fields_of(terms)}
    made = st.fixed_dictionaries(fields).map(lambda given: _made(terms, given))
    return made.filter(lambda found: found is not None)


def _made(terms: type, given: Mapping[str, Any]) -> Any:
    """The terms, or None where a validator of theirs refuses what is given."""
    try:
        return terms(**given)
    except Exception:  # noqa: BLE001  whatever a validator raises, reading a record takes it for a refusal
        return None


def _anything_as(kind: Any, field: str, public: Public, choices: Mapping[str, Sequence[str]]) -> SearchStrategy[Any]:
    texts = st.sampled_from([*choices.get(field, ()), *ODD_TEXTS]) | st.text(min_size=1, max_size=12)
    if kind in (Amount, int, float):
        return st.integers(0, 500) | st.sampled_from(ODD_AMOUNTS) | st.floats(-1e15, 1e15, allow_nan=False)
    if kind is Time:
        clock = st.tuples(st.integers(0, 23), st.sampled_from(range(0, 60, 5))).map(lambda at: f"{at[0]:02}:{at[1]:02}")
        return st.sampled_from(ODD_TIMES) | clock
    if kind in (Text, str):
        return texts
    if kind == Items:
        return st.lists(texts, max_size=4, unique=True).map(tuple)
    if attrs.has(kind):
        return anything(kind, public, choices)
    inner = _anything_as(get_args(kind)[1], field, public, choices)
    return st.dictionaries(st.sampled_from(public.names), inner, max_size=2)


def beside(terms: Any, public: Public, choices: Mapping[str, Sequence[str]]) -> SearchStrategy[Any]:
    """A plan's terms as JSON with one thing in them changed: an amount or a time moved, an item or a person left out or
    added, or anything else in the place of a value."""
    return _beside(type(terms), terms, "", public, choices)


def _beside(
    kind: Any, value: Any, field: str, public: Public, choices: Mapping[str, Sequence[str]]
) -> SearchStrategy[Any]:
    if attrs.has(kind):
        parts = {name: (of, getattr(value, name)) for name, of in fields_of(kind)}
        return _one_changed(parts, lambda name: name, public, choices)
    if isinstance(value, Mapping):
        inner = get_args(kind)[1]
        changed = _one_changed({name: (inner, of) for name, of in value.items()}, lambda _: field, public, choices)
        left_out: list[Any] = [{n: write_terms(of) for n, of in value.items() if n != name} for name in value]
        return st.one_of(st.sampled_from([*left_out, {}]), changed)
    other: SearchStrategy[Any] = _anything_as(kind, field, public, choices)
    if kind in (Amount, int, float):
        return st.one_of(st.sampled_from([value + 1, value - 1, value + 0.5, 2 * value, 0]), other)
    if kind is Time:
        return st.sampled_from([f"{value[:-1]}{(int(value[-1]) + 1) % 10}", f"{value[:3]}59"]) | other
    if kind == Items:
        fewer = [[item for item in value if item != one] for one in value]
        more = [[*value, item] for item in (*choices.get(field, ()), "the moon") if item not in value]
        return st.sampled_from([[], *fewer, *more]) | other.map(list)
    return other


def _one_changed(
    parts: Mapping[str, tuple[Any, Any]], field_of: Any, public: Public, choices: Any
) -> SearchStrategy[Any]:
    """The parts as JSON, one of them changed."""
    plain = {name: write_terms(value) for name, (_, value) in parts.items()}

    def changed(name: str) -> SearchStrategy[Any]:
        kind, value = parts[name]
        return _beside(kind, value, field_of(name), public, choices).map(lambda raw: {**plain, name: raw})

    return st.sampled_from(list(parts)).flatmap(changed) if parts else st.just({})


def spellings(terms: Any, public: Public) -> SearchStrategy[Any]:
    """A plan's terms as JSON in another hand: keys in another order, lists shuffled, letters in other case, numbers as
    text, times without their leading nought, people by their whole name in other case."""
    return _spelt(type(terms), terms, public)


def _spelt(kind: Any, value: Any, public: Public) -> SearchStrategy[Any]:
    if attrs.has(kind):
        fields = {name: _spelt(of, getattr(value, name), public) for name, of in fields_of(kind)}
        return _shuffled(fields)
    if kind in (Amount, int, float):
        return st.sampled_from([value, str(value), float(value), f" {value} "])
    if kind is Time:
        return st.sampled_from([value, value.removeprefix("0"), f" {value}"])
    if kind in (Text, str):
        return _cased(value)
    if kind == Items:
        return st.permutations(list(value)).flatmap(lambda items: st.tuples(*map(_cased, items))).map(list)
    if isinstance(value, Mapping):
        inner = get_args(kind)[1]
        fields = {name: _spelt(inner, of, public) for name, of in value.items()}
        return _shuffled(fields).flatmap(_names_cased)
    return st.just(write_terms(value))


def _shuffled(fields: Mapping[str, SearchStrategy[Any]]) -> SearchStrategy[dict[str, Any]]:
    return st.permutations(list(fields)).flatmap(lambda names: st.fixed_dictionaries({n: fields[n] for n in names}))


def _names_cased(fields: Mapping[str, Any]) -> SearchStrategy[dict[str, Any]]:
    def cased(how: str) -> dict[str, Any]:
        return {(name.upper() if how == "upper" else name): value for name, value in fields.items()}

    return st.sampled_from(["as they are", "upper"]).map(cased)


def _cased(text: str) -> SearchStrategy[str]:
    return st.sampled_from([text, text.upper(), text.capitalize(), f"  {text} "])


JSON_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-20, 20),
    st.sampled_from([10**30, -(10**30)]),
    st.floats(),
    st.text(max_size=12),
)


def json_values(names: Sequence[str] = ()) -> SearchStrategy[Any]:
    """Any JSON, keys drawn from the given names too."""
    keys = st.sampled_from(list(names)) | st.text(max_size=6) if names else st.text(max_size=6)
    return st.recursive(
        JSON_LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=10
    )
