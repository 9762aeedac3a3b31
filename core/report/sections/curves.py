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
    "reward", "verified_success", "feasibility", "integrity", "conduct", "entropy", "kl", "clip_fraction",
    "explained_variance", "credit/within", "credit/paired", "credit/gate", "credit/corr_phi_return",
    "credit/variance_left",
)  # fmt: skip
"""Drawn first, in this order, where they are there; then what evaluation found of Verified Success, and the others in
the order of their names."""

PANELS, POINTS, ROWS, NAMED = 18, 300, 40, 200
"""As many quantities are drawn, each with at most so many points; as many updates stand in the table, evenly taken; of
the quantities that are not drawn so many are named."""


def curves(facts: Facts) -> Section | None:
    """The part on training; None of a run that trained nothing."""
    return drawn(facts.updates)


def drawn(updates: Sequence[Mapping[str, float]], notes: Sequence[str] = ()) -> Section | None:
    """The curves of updates; None where there are none."""
    if not updates:
        return None
    axis = next((name for name in AXIS if name in updates[0]), None)
    names = sorted({name for update in updates for name in update} - {axis, None})
    names.sort(key=_rank)
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
    start = axis == AXIS[0] and 0.0 in xs
    lines = [f"updates: {len(updates) - xs.count(0.0)}; 0 is before the first" if start else f"updates: {len(updates)}"]
    lines += notes
    if len(names) > PANELS:
        rest = names[PANELS:]
        more = [f"and {len(rest) - NAMED} more"] if len(rest) > NAMED else []
        lines.append(f"not drawn: {', '.join([*map(cell, rest[:NAMED]), *more])}")
    return Section("curves", lines, [table], Lines(panels, axis or "update") if panels else None)


def thinned(points: Sequence[T], most: int) -> list[T]:
    """At most so many of them, evenly taken, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(place * (len(points) - 1) / (most - 1))] for place in range(most)]


def _rank(name: str) -> int:
    if name in FIRST:
        return FIRST.index(name)
    return len(FIRST) + (not (name.startswith("test/") and name.endswith("/verified_success")))


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
