"""A record's JSON schema in words: for each outcome the JSON object to write, with what belongs in each place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen


@frozen(unsafe_hash=False)
class Form:
    """One way of filling in a record: the outcome, the schema of its terms (None: it has none), the whole as text."""

    outcome: str
    terms: Mapping[str, Any] | None
    json: str


def forms(schema: Mapping[str, Any]) -> tuple[Form, ...]:
    """The forms that a record's schema allows, one an outcome: the first object among its terms belongs to `agree`,
    the second to `defer`, as `adidem.core.records.record_schema` writes them. Another shape gives one form."""
    properties = schema.get("properties", {})
    outcomes = properties.get("outcome", {}).get("enum")
    kinds = properties.get("terms", {}).get("anyOf")
    if not outcomes or not kinds:
        return (Form("", schema, skeleton(schema)),)
    objects = [kind for kind in kinds if kind.get("type") == "object"]
    holders = [outcome for outcome in outcomes if outcome != "decline"]
    terms = dict(zip(holders, objects, strict=False))
    return tuple(_form(outcome, terms.get(outcome)) for outcome in outcomes)


def _form(outcome: str, terms: Mapping[str, Any] | None) -> Form:
    inner = "null" if terms is None else skeleton(terms)
    return Form(outcome, terms, f'{{"outcome": "{outcome}", "terms": {inner}}}')


def skeleton(schema: Mapping[str, Any]) -> str:
    """JSON of a schema's shape, with `<what belongs here>` in place of each value."""
    if schema.get("type") == "object":
        members = (f"{json.dumps(name)}: {skeleton(part)}" for name, part in schema.get("properties", {}).items())
        return "{" + ", ".join(members) + "}"
    if schema.get("type") == "array":
        return f"[{skeleton(schema.get('items', {}))}, ...]"
    return f"<{expected(schema)}>"


def expected(schema: Mapping[str, Any]) -> str:
    """What a single value may be, in a few words."""
    choices: Sequence[Any] | None = schema.get("enum")
    if choices:
        said = ", ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
        return f"one of: {said}" if len(choices) > 1 else said
    if schema.get("type") == "integer":
        return "whole number"
    if schema.get("type") == "number":
        return "number"
    if "[0-5][0-9]" in schema.get("pattern", ""):
        return "time, HH:MM"
    return str(schema.get("description", "text"))
