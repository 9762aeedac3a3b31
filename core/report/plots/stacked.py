"""Draws how the episodes of each label divide."""

from __future__ import annotations

from typing import Any

from adidem.core.report.charts import Stacked
from adidem.core.report.plots.style import HATCHES, PAPER, ROW, SERIES, canvas, labelled, legend, room


def draw(chart: Stacked) -> Any:
    """The figure: one bar a label, its parts as shares in per cent, told apart by hatching too."""
    parts = list(dict.fromkeys(name for _, counts in chart.rows for name in counts))
    labels = [f"{label} ({sum(counts.values())})" for label, counts in chart.rows]
    figure, axes = canvas(1.2 * ROW * len(chart.rows) + 0.1, room(labels), len(parts))
    places = range(len(chart.rows))
    before = [0.0] * len(chart.rows)
    for index, name in enumerate(parts):
        shares = [100 * counts.get(name, 0) / (sum(counts.values()) or 1) for _, counts in chart.rows]
        axes.barh(
            places,
            shares,
            left=before,
            height=0.7,
            color=SERIES[index % len(SERIES)],
            hatch=HATCHES[index % len(HATCHES)],
            edgecolor=PAPER,
            linewidth=0.8,
            label=name,
        )
        before = [start + share for start, share in zip(before, shares, strict=True)]
    axes.set_xlim(0, 100)
    labelled(axes, labels, places)
    axes.set_xlabel(chart.axis)
    handles, names = axes.get_legend_handles_labels()
    legend(figure, handles, names)
    return figure
