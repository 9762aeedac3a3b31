"""Reads and writes records: one canonical form for every way of writing the same plan, and the JSON schema of it."""

from __future__ import annotations

import math
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, get_args, get_origin

import attrs

from adidem.core import language
from adidem.core.contracts import Family
from adidem.core.domain import Amount, ByRole, Items, Public, Record, Text, Time, Written
from adidem.core.domain.record import OUTCOMES, Outcome
from adidem.core.errors import AdidemError

OUTCOME_WORDS: Mapping[str, Outcome] = {
    "agree": "agree",
    "agreed": "agree",
    "agreement": "agree",
    "decline": "decline",
    "declined": "decline",
    "no agreement": "decline",
    "defer": "defer",
    "deferred": "defer",
    "deferral": "defer",
}
LONGEST = 400
LARGEST = 10**15
"""No number of a record is larger, or it is unreadable: sums and products of such still fit in 64 bits or a float."""
DEEPEST = 40
"""How deep a store keeps what was written; what lies deeper is left out."""


class UnreadableRecord(AdidemError):
    """What was written is no record of this family; the text says why."""


# ------------------------------------------------------------------------------------------------------------- reading

Reader = Callable[[Any, Public, Sequence[str]], Any]


def _plain(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UnreadableRecord(f"{where} is {_short(value)}, not a text")
    return _mended(" ".join(value.split())[:LONGEST])


def _short(value: Any) -> str:
    text = repr(value) if value is None or isinstance(value, bool | float) else repr(storable(value, 3))
    return text if len(text) <= 60 else text[:57] + "..."


def _read_amount(value: Any, where: str) -> Amount:
    number = language.parse_number(value)
    if number is None:
        raise UnreadableRecord(f"{where} is {_short(value)}, not a number")
    if abs(number) > LARGEST:
        raise UnreadableRecord(f"{where} is {_short(value)}, beyond any number that counts here")
    return number


def _read_time(value: Any, where: str, public: Public) -> Time:
    time = language.parse_time(value, within=public.day)
    if time is None:
        raise UnreadableRecord(f"{where} is {_short(value)}, not a time of day (HH:MM)")
    return Time(time)


def _read_choice(value: Any, where: str, choices: Sequence[str]) -> Text:
    text = _plain(value, where)
    wanted = _loose(text)
    for choice in choices:
        if _loose(choice) == wanted:
            return Text(choice)
    return Text(text)


def _loose(text: str) -> str:
    return re.sub(r"^(?:the|a|an|some) ", "", " ".join(text.casefold().split())).rstrip(".")


def _read_items(value: Any, where: str, choices: Sequence[str]) -> Items:
    if isinstance(value, str):
        value = [part for part in re.split(r",|;|\band\b", value) if part.strip()]
    if not isinstance(value, list | tuple):
        raise UnreadableRecord(f"{where} is {_short(value)}, not a list")
    found = {_read_choice(item, where, choices) for item in value}
    known = [Text(choice) for choice in choices if choice in found]
    return (*known, *sorted(found.difference(known)))


def _read_by_role(value: Any, where: str, public: Public, read: Callable[[Any, str], Any]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise UnreadableRecord(f"{where} is {_short(value)}, not one value for each person")
    found: dict[str, Any] = {}
    for key, item in value.items():
        seat = public.seat(key) if isinstance(key, str) and key.strip() else None
        if seat is None:
            raise UnreadableRecord(f"{where} names {_short(key)}, who is neither {' nor '.join(public.names)}")
        name = public.name(seat)
        if name in found:
            raise UnreadableRecord(f"{where} names {name} twice")
        found[name] = read(item, f"{where}.{name}")
    return {name: found[name] for name in public.names if name in found}


def _read_as(
    kind: Any, value: Any, where: str, public: Public, choices: Mapping[str, Sequence[str]], field: str
) -> Any:
    if kind in (Amount, int, float):
        return _read_amount(value, where)
    if kind is Time:
        return _read_time(value, where, public)
    if kind in (Text, str):
        return _read_choice(value, where, choices.get(field, ()))
    if kind == Items:
        return _read_items(value, where, choices.get(field, ()))
    if _is_by_role(kind):
        inner = get_args(kind)[1]
        return _read_by_role(
            value, where, public, lambda item, place: _read_as(inner, item, place, public, choices, field)
        )
    if attrs.has(kind):
        return _read_fields(kind, value, where, public, choices)
    raise TypeError(f"a term of type {kind!r} has no reader; use the types of adidem.core.domain.terms")


def unreadable_field(terms: type) -> tuple[str, Any] | None:
    """The first field of a terms class, with its type, that no record can be read into, or None."""
    return next(((name, kind) for name, kind in fields_of(terms) if not _readable(kind)), None)


def _readable(kind: Any) -> bool:
    if attrs.has(kind):
        return unreadable_field(kind) is None
    if _is_by_role(kind):
        return _readable(get_args(kind)[1])
    return kind in (Amount, int, float, Time, Text, str) or kind == Items


def _is_by_role(kind: Any) -> bool:
    return get_origin(kind) is get_origin(ByRole[int])


@lru_cache(maxsize=256)
def fields_of(terms: type) -> tuple[tuple[str, Any], ...]:
    """The (name, type) pairs of a terms class, in the order of its definition."""
    hints = typing.get_type_hints(terms)
    return tuple((field.name, hints[field.name]) for field in attrs.fields(terms))


def _read_fields(terms: type, value: Any, where: str, public: Public, choices: Mapping[str, Sequence[str]]) -> Any:
    if not isinstance(value, Mapping):
        raise UnreadableRecord(f"{where} is {_short(value)}, not an object")
    given = {}
    for name, kind in fields_of(terms):
        if name not in value or value[name] is None:
            raise UnreadableRecord(f"{where}.{name} is missing")
        given[name] = _read_as(kind, value[name], f"{where}.{name}", public, choices, name)
    try:
        return terms(**given)
    except Exception as error:
        said = str(error.args[0] if error.args else error)
        raise UnreadableRecord(f"{where} cannot be had: {said[:200]}") from error


def read_terms(terms: type, value: Any, family: Family, public: Public) -> Any:
    """The typed terms of a JSON object.

    Raises:
        UnreadableRecord: a field is missing or holds something that cannot be that kind of value.
    """
    return _read_fields(terms, value, "terms", public, family.choices(public))


def read_record(raw: Any, family: Family, public: Public) -> Record:
    """The canonical record of what was written: `{"outcome": …, "terms": {…}}`, any order, case and spelling of
    numbers and times; the terms' fields may also stand beside the outcome. Terms of a decline are ignored.

    Raises:
        UnreadableRecord: it is not a record of this family; nothing else is ever raised, whatever the JSON holds.
    """
    if not isinstance(raw, Mapping):
        raise UnreadableRecord(f"the record is {_short(raw)}, not a JSON object")
    word = raw.get("outcome")
    outcome = OUTCOME_WORDS.get(" ".join(word.casefold().split())) if isinstance(word, str) else None
    if outcome is None:
        raise UnreadableRecord(f"outcome is {_short(word)}; it must be one of {', '.join(OUTCOMES)}")
    if outcome == "decline":
        return Record("decline")
    if family.terms is None:
        raise UnreadableRecord(f"family {family.name} keeps no records")
    terms = family.terms if outcome == "agree" else family.defer_terms
    if terms is None:
        raise UnreadableRecord("this matter has nobody to defer to: outcome must be agree or decline")
    inner = raw.get("terms")
    return Record(outcome, read_terms(terms, raw if inner is None else inner, family, public))


# ------------------------------------------------------------------------------------------------------------- writing


def write_terms(terms: Any) -> Any:
    """Typed terms as JSON values."""
    if attrs.has(type(terms)):
        return {field.name: write_terms(getattr(terms, field.name)) for field in attrs.fields(type(terms))}
    if isinstance(terms, Mapping):
        return {key: write_terms(value) for key, value in terms.items()}
    if isinstance(terms, list | tuple):
        return [write_terms(value) for value in terms]
    return terms


def write_record(record: Record) -> dict[str, Any]:
    """A record as JSON: reading it gives the record back."""
    return {"outcome": record.outcome, "terms": None if record.terms is None else write_terms(record.terms)}


def written(raw: Any, family: Family, public: Public, attempts: int = 1) -> Written:
    """What is stored of an answer: canonical, or unreadable with its reason."""
    try:
        record = read_record(raw, family, public)
    except UnreadableRecord as error:
        return Written(raw=storable(raw), unreadable=str(error), attempts=attempts)
    data = write_record(record)
    return Written(raw=storable(raw), outcome=record.outcome, terms=data["terms"], attempts=attempts)


def storable(raw: Any, depth: int = DEEPEST) -> Any:
    """JSON that a store can hold, of whatever came: what is not finite, too large or not JSON is kept as its text, half
    a surrogate pair as �, and what lies deeper than `depth` as an ellipsis. Never raises."""
    if raw is None or isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        return _mended(raw)
    if isinstance(raw, int):
        return int(raw) if abs(raw) < 2**63 else _digits(raw)
    if isinstance(raw, float):
        return raw if math.isfinite(raw) else repr(raw)
    if isinstance(raw, Mapping):
        return {_key(key): storable(value, depth - 1) for key, value in raw.items()} if depth > 0 else "{…}"
    if isinstance(raw, list | tuple):
        return [storable(value, depth - 1) for value in raw] if depth > 0 else "[…]"
    try:
        return _mended(repr(raw))
    except Exception:  # noqa: BLE001  whatever a stranger's repr raises
        return f"<{type(raw).__name__}>"


def _key(key: Any) -> str:
    text = storable(key, 1)
    return text if isinstance(text, str) else str(text)


def _digits(number: int) -> str:
    return str(number) if number.bit_length() <= 1024 else f"a whole number of {number.bit_length()} bits"


def _mended(text: str) -> str:
    """The text with � for halves of surrogate pairs, which UTF-8 cannot write; a whole pair is its character."""
    if text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def freeze(terms: Any) -> Any:
    """A hashable key of typed terms: equal for equal plans."""
    if attrs.has(type(terms)):
        return tuple(freeze(getattr(terms, field.name)) for field in attrs.fields(type(terms)))
    if isinstance(terms, Mapping):
        return tuple(sorted((key, freeze(value)) for key, value in terms.items()))
    if isinstance(terms, list | tuple):
        return tuple(freeze(value) for value in terms)
    return terms


# -------------------------------------------------------------------------------------------------------------- schema


def record_schema(family: Family, public: Public) -> dict[str, Any]:
    """The JSON schema of a record in this public context: an outcome and terms, every property required.

    It holds nothing private: only the choices, names and types that both roles know.
    """
    if family.terms is None:
        return {"type": "object", "additionalProperties": False, "required": [], "properties": {}}
    choices = family.choices(public)
    kinds = [_object_schema(family.terms, public, choices)]
    outcomes = ["agree", "decline"]
    if family.defer_terms is not None and public.approver is not None:
        kinds.append(_object_schema(family.defer_terms, public, choices))
        outcomes.append("defer")
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["outcome", "terms"],
        "properties": {
            "outcome": {"type": "string", "enum": outcomes},
            "terms": {"anyOf": [*kinds, {"type": "null"}]},
        },
    }


def _object_schema(terms: type, public: Public, choices: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    properties = {name: _schema_of(kind, public, choices, name) for name, kind in fields_of(terms)}
    return _closed(properties)


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": dict(properties),
    }


def _schema_of(kind: Any, public: Public, choices: Mapping[str, Sequence[str]], field: str) -> dict[str, Any]:
    if kind in (Amount, int, float):
        return {"type": "integer"}
    if kind is Time:
        return {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
    if kind in (Text, str):
        return {"type": "string", "enum": list(choices[field])} if choices.get(field) else {"type": "string"}
    if kind == Items:
        return {"type": "array", "items": _schema_of(Text, public, choices, field)}
    if _is_by_role(kind):
        inner = get_args(kind)[1]
        return _closed({name: _schema_of(inner, public, choices, field) for name in public.names})
    if attrs.has(kind):
        return _object_schema(kind, public, choices)
    raise TypeError(f"a term of type {kind!r} has no schema; use the types of adidem.core.domain.terms")
