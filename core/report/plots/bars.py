"""Draws one number a label as bars."""

from __future__ import annotations

from typing import Any

from adidem.core.report.charts import Bars
from adidem.core.report.plots.style import ROW, SERIES, canvas, labelled, room


def draw(chart: Bars) -> Any:
    """The figure, the number behind each bar."""
    figure, axes = canvas(ROW * len(chart.values) + 0.1, room(label for label, _ in chart.values))
    places = range(len(chart.values))
    values = [value for _, value in chart.values]
    bars = axes.barh(places, values, height=0.65, color=SERIES[0])
    axes.bar_label(bars, labels=[f"{value:g}" for value in values], padding=3)
    axes.set_xlim(0, 1.12 * max(values, default=1) or 1)
    labelled(axes, [label for label, _ in chart.values], places)
    axes.set_xlabel(chart.axis)
    return figure
