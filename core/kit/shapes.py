"""Answers in the shape that a JSON schema asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def shaped(schema: Any, values: Mapping[str, Any]) -> Any:
    """The simplest JSON in the shape of a schema, with the given value for each plain type (`integer`, `number`,
    `string`, `boolean`); `{"score": …}` where there is no schema."""
    if not isinstance(schema, Mapping):
        return {"score": values["integer"]}
    if schema.get("enum"):
        return schema["enum"][0] if isinstance(schema["enum"][0], str) else values["integer"]
    if schema.get("anyOf"):
        return shaped(schema["anyOf"][0], values)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: shaped(part, values) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [shaped(schema.get("items", {}), values)]
    return values.get(str(kind))
