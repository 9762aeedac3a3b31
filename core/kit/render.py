"""Counterexamples in words: a world, a plan, a conversation, as an author reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from adidem.core.domain import SEATS, Scenario, Turn, World
from adidem.core.records import storable, write_terms

LONGEST = 300


def plain(value: Any) -> str:
    """A value as JSON on one line, cut where it is long."""
    text = json.dumps(storable(value), ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def world_lines(world: World, scenario: Scenario | None = None) -> tuple[str, ...]:
    """A world: its scenario, then what each of the two privately holds."""
    where = f"world {world.name}" + (f" of {scenario.id}, setting {scenario.setting}" if scenario is not None else "")
    return (where, *(_card(world, seat) for seat in SEATS))


def _card(world: World, seat: Any) -> str:
    held = [f"{c.kind} = {plain(c.value)}" for c in world.conditions if c.owner == seat]
    return f"  {world.public.name(seat)} ({seat}): {'; '.join(held) or 'no private condition'}"


def plan_line(terms: Any, word: str = "plan") -> str:
    """A plan's terms."""
    return f"{word}: {plain(write_terms(terms)) if terms is not None else 'none'}"


def text_line(text: str, word: str = "text") -> str:
    """A text in quotes, cut where it is long."""
    return f"{word}: {plain(text)}"


def turn_lines(turns: Iterable[Turn]) -> tuple[str, ...]:
    """A conversation, a turn a line."""
    return tuple(f"{turn.index + 1} {turn.seat}: {plain(turn.text)}" for turn in turns)


def listed(values: Sequence[Any], most: int = 4) -> str:
    """The first few of some values, and how many more there are."""
    shown = ", ".join(plain(value) for value in values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"
