"""Draws figures with their intervals, row by row."""

from __future__ import annotations

from typing import Any

from adidem.core.report.charts import Intervals
from adidem.core.report.plots.style import INK, MARKERS, ROW, SERIES, canvas, labelled, legend, room


def draw(chart: Intervals) -> Any:
    """The figure: one row a label; within it the series one below the other, each with a marker of its own."""
    series = list(dict.fromkeys(mark.series for _, marks in chart.rows for mark in marks))
    step = 0.8 / max(len(series), 1)
    high = ROW * max(1.0, 0.55 * len(series))
    figure, axes = canvas(high * len(chart.rows) + 0.1, room(label for label, _ in chart.rows), len(series))
    if chart.zero:
        axes.axvline(0, color=INK, linewidth=0.8)
    for index, name in enumerate(series):
        found = [(row, mark) for row, (_, marks) in enumerate(chart.rows) for mark in marks if mark.series == name]
        places = [row + step * (index - (len(series) - 1) / 2) for row, _ in found]
        values = [mark.value for _, mark in found]
        colour = SERIES[index % len(SERIES)]
        for place, (_, mark) in zip(places, found, strict=True):
            if mark.low is not None and mark.high is not None:
                axes.plot([mark.low, mark.high], [place, place], color=colour, linewidth=1.8, solid_capstyle="butt")
        axes.plot(values, places, MARKERS[index % len(MARKERS)], color=colour, markersize=5.5, label=name)
    labelled(axes, [label for label, _ in chart.rows], range(len(chart.rows)))
    if chart.limits is not None:
        edge = 0.02 * (chart.limits[1] - chart.limits[0])
        axes.set_xlim(chart.limits[0] - edge, chart.limits[1] + edge)
    axes.set_xlabel(chart.axis)
    handles, names = axes.get_legend_handles_labels()
    legend(figure, handles, names)
    return figure
