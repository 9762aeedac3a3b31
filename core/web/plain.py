"""JSON values as a person would write them down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEEPEST = 6


def plain(value: Any, depth: int = DEEPEST) -> str:
    """One line: `least: 20, most: 44`, `tent, stove`, `–` for nothing."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {plain(inner, depth - 1)}" for key, inner in value.items()) if depth else "{…}"
    if isinstance(value, list | tuple):
        return ", ".join(plain(inner, depth - 1) for inner in value) if depth else "[…]"
    return str(value)


def lines(value: Any) -> list[tuple[str, str]]:
    """The entries of a JSON object, each on a line; anything else is one line without a name."""
    if isinstance(value, Mapping):
        return [(str(key), plain(inner)) for key, inner in value.items()]
    return [] if value is None else [("", plain(value))]
