"""Learning curves of a training run, from its `metrics.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TypeVar

from adidem.core.report.charts import Lines
from adidem.core.report.facts import Facts
from adidem.core.report.section import Section, Table
from adidem.core.report.text import cell

T = TypeVar("T")

AXIS = ("update", "step")
FIRST = (
    "reward", "verified_success", "feasibility", "integrity", "conduct", "entropy", "kl", "explained_variance",
    "policy_loss", "value_loss", "clip_fraction", "truncated",
)  # fmt: skip
"""Drawn first, in this order, where they are there; the others follow in the order of their names."""

PANELS, POINTS, ROWS = 12, 300, 40
"""As many quantities are drawn, each with at most so many points; as many updates stand in the table, evenly taken."""


def curves(facts: Facts) -> Section | None:
    """The part on training; None of a run that trained nothing."""
    return drawn(facts.updates)


def drawn(updates: Sequence[Mapping[str, float]], notes: Sequence[str] = ()) -> Section | None:
    """The curves of updates; None where there are none."""
    if not updates:
        return None
    axis = next((name for name in AXIS if name in updates[0]), None)
    names = sorted({name for update in updates for name in update} - {axis, None})
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    xs = [update.get(axis, float(n)) if axis else float(n) for n, update in enumerate(updates)]
    panels = []
    for name in names[:PANELS]:
        points = [(x, u[name]) for x, u in zip(xs, updates, strict=True) if isfinite(u.get(name, float("nan")))]
        if points:
            panels.append((cell(name), thinned(points, POINTS)))
    shown = names[:PANELS]
    rows = [
        [f"{x:g}", *(_figure(u.get(n)) for n in shown)] for x, u in thinned(list(zip(xs, updates, strict=True)), ROWS)
    ]
    table = Table([axis or "update", *map(cell, shown)], rows, caption="updates, evenly taken where there are many")
    lines = [f"updates: {len(updates)}", *notes]
    if len(names) > PANELS:
        lines.append(f"not drawn: {cell(', '.join(names[PANELS:]), 400)}")
    return Section("curves", lines, [table], Lines(panels, axis or "update") if panels else None)


def thinned(points: Sequence[T], most: int) -> list[T]:
    """At most so many of them, evenly taken, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(place * (len(points) - 1) / (most - 1))] for place in range(most)]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
