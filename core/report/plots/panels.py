"""Draws small panels side by side: how ratings are distributed, how quantities went over training."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from adidem.core.report.charts import Histograms, Lines
from adidem.core.report.plots.style import SERIES, canvas, clipped

ACROSS, BINS = 3, 12


def histograms(chart: Histograms) -> Any:
    """The figure: one panel a rating, bars at the scores that were given."""
    figure, panels = _panels(len(chart.panels))
    for axes, (title, counts) in zip(panels, chart.panels, strict=False):
        places, heights, width = _bars(counts)
        axes.bar(places, heights, width=0.85 * width, color=SERIES[0])
        axes.set_title(clipped(title), fontsize=8.5)
        axes.grid(visible=False, axis="x")
    figure.supxlabel(chart.axis, fontsize=9, y=0.02 / figure.get_figheight(), va="bottom")
    return figure


def _bars(counts: Sequence[tuple[float, int]]) -> tuple[list[float], list[int], float]:
    """Where bars stand, how high and how wide: at each score where all are whole numbers, else in equal bins."""
    low, high = min(score for score, _ in counts), max(score for score, _ in counts)
    if all(score == int(score) for score, _ in counts):
        return [score for score, _ in counts], [count for _, count in counts], 1.0
    width = (high - low) / BINS or 1.0
    heights = [0] * BINS
    for score, count in counts:
        heights[min(BINS - 1, int((score - low) / width))] += count
    return [low + (place + 0.5) * width for place in range(BINS)], heights, width


def lines(chart: Lines) -> Any:
    """The figure: one panel a quantity, over the same axis."""
    figure, panels = _panels(len(chart.panels))
    for axes, (title, points) in zip(panels, chart.panels, strict=False):
        few = len(points) <= 30
        axes.plot(*zip(*points, strict=True), "o-" if few else "-", color=SERIES[0], markersize=3, linewidth=1.4)
        axes.set_title(clipped(title), fontsize=8.5)
        axes.tick_params(labelsize=8)
        if all(x == int(x) for x, _ in points):
            axes.locator_params(axis="x", integer=True)  # there is no update between two updates
    figure.supxlabel(chart.axis, fontsize=9, y=0.02 / figure.get_figheight(), va="bottom")
    return figure


def _panels(number: int) -> tuple[Any, Sequence[Any]]:
    rows = max(1, ceil(number / ACROSS))
    figure, axes = canvas(1.0 * rows + 0.5 * (rows - 1), 0.5, columns=ACROSS, rows=rows, gap=0.5)
    panels = list(axes.flat)
    for axes in panels[number:]:
        axes.set_visible(False)
    return figure, panels
