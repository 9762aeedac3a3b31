"""From dimensions to the JSON schema that a judge's model is asked for, and from its JSON back to ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

from adidem.core.domain import SEATS, Dimension, Rating, Seat
from adidem.core.judging.fence import clean

NOT_ASKED = "not asked: "
"""What the reason of a rating starts with that is unscored because nobody asked for it, not because it failed."""

LONGEST_REASON = 300
"""Most characters of a reasoning, in the schema: a small model would otherwise never end it."""


def score_schema(dimension: Dimension) -> dict[str, Any]:
    """One rating: the reasoning first, so that the score follows from it; whole numbers, as published."""
    score = {"type": "integer", "minimum": int(dimension.low), "maximum": int(dimension.high)}
    return closed({"reasoning": {"type": "string", "maxLength": LONGEST_REASON}, "score": score})


@lru_cache(maxsize=512)
def schema_of(dimensions: tuple[Dimension, ...], names: tuple[str, str]) -> Mapping[str, Any]:
    """An object with a rating for each dimension of the episode, and for each person's name one object with a rating
    for each dimension of a seat."""
    whole = {d.name: score_schema(d) for d in dimensions if d.scope == "episode"}
    each = {d.name: score_schema(d) for d in dimensions if d.scope == "seat"}
    return closed({**whole, **({name: closed(each) for name in _keys(names)} if each else {})})


def closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an object with exactly these properties."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": dict(properties),
    }


def ratings(dimensions: Sequence[Dimension], names: tuple[str, str], data: Any, problem: str = "") -> list[Rating]:
    """A rating for each dimension and seat, out of JSON of the shape of `schema_of`, or of any other: what is missing,
    no number or out of range is unscored with the reason (`problem` is added to it), the rest is kept. Never raises."""
    found: list[Rating] = []
    for dimension in dimensions:
        for seat in _seats(dimension):
            part = data if seat is None else _member(data, _keys(names)[SEATS.index(seat)])
            found.append(_rating(dimension, seat, _member(part, dimension.name), problem))
    return found


def unscored(dimensions: Sequence[Dimension], reason: str) -> list[Rating]:
    """Every dimension unscored, for one reason."""
    return [Rating(d.name, seat, None, unscored=reason) for d in dimensions for seat in _seats(d)]


def number(value: Any, low: float, high: float) -> float | str:
    """The number that a JSON value is, or why it is none in that range (bounds included)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "no score was given" if value is None else f"the score {_said(value)} is not a number"
    if isinstance(value, float) and not isfinite(value):
        return "the score is not a finite number"
    if not low <= value <= high:
        return f"the score {_said(value)} is out of the range {low:g} to {high:g}"
    return float(value)


def _rating(dimension: Dimension, seat: Seat | None, entry: Any, problem: str) -> Rating:
    value = _member(entry, "score") if isinstance(entry, Mapping) else entry
    score = number(value, dimension.low, dimension.high)
    reason = clean(_member(entry, "reasoning"), 4 * LONGEST_REASON)
    if isinstance(score, str):
        return Rating(dimension.name, seat, None, reason, f"{score} ({problem})" if problem else score)
    return Rating(dimension.name, seat, score, reason)


def _seats(dimension: Dimension) -> Sequence[Seat | None]:
    return SEATS if dimension.scope == "seat" else (None,)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _keys(names: tuple[str, str]) -> tuple[str, str]:
    """The names as keys; two people of one name are told apart by number."""
    first, second = names
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _said(value: Any) -> str:
    if isinstance(value, str):
        return f"'{clean(value, 40)}'"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}" if abs(value) < 1e9 else "a huge number"
    return f"of type {type(value).__name__}"
