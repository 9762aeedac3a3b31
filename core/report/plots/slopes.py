"""Draws the ranks of things by two measures."""

from __future__ import annotations

from typing import Any

from adidem.core.report.charts import Slopes
from adidem.core.report.plots.style import INK, MARKERS, ROW, SERIES, canvas, clipped


def draw(chart: Slopes) -> Any:
    """The figure: one line a thing from its rank by the first measure to that by the second; 1 is on top."""
    figure, axes = canvas(1.1 * ROW * max(3, len(chart.rows)), 0.5)
    for index, (_, first, second) in enumerate(chart.rows):
        marker = MARKERS[index % len(MARKERS)]
        axes.plot([0, 1], [first, second], f"{marker}-", color=SERIES[index % len(SERIES)], markersize=6, linewidth=1.6)
    for x, place, side in ((-0.04, 1, "right"), (1.04, 2, "left")):
        for rank, labels in _tied(chart, place).items():
            axes.text(x, rank, clipped(", ".join(labels)), ha=side, va="center", color=INK)
    axes.set_xlim(-1.1, 2.1)
    axes.set_ylim(len(chart.rows) + 0.6, 0.4)
    axes.set_xticks([0, 1], chart.titles)
    axes.set_yticks(range(1, len(chart.rows) + 1))
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("rank")
    return figure


def _tied(chart: Slopes, place: int) -> dict[float, list[str]]:
    """The labels at each rank by one of the measures: those that are tied would be drawn over each other."""
    found: dict[float, list[str]] = {}
    for row in chart.rows:
        found.setdefault(float(row[place]), []).append(row[0])
    return found
