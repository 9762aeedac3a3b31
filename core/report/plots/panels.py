"""Draws small panels side by side: how ratings are distributed, how quantities went over training."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Any

from adidem.core.report.charts import Histograms, Lines
from adidem.core.report.plots.style import SERIES, canvas, clipped

ACROSS = 3


def histograms(chart: Histograms) -> Any:
    """The figure: one panel a rating, bars at the scores that were given."""
    figure, panels = _panels(len(chart.panels))
    for axes, (title, counts) in zip(panels, chart.panels, strict=False):
        scores = sorted(score for score, _ in counts)
        apart = min((b - a for a, b in pairwise(scores)), default=1.0)
        axes.bar([score for score, _ in counts], [n for _, n in counts], width=0.85 * min(apart, 1.0), color=SERIES[0])
        axes.set_title(clipped(title), fontsize=8.5)
        axes.grid(visible=False, axis="x")
    figure.supxlabel(chart.axis, fontsize=9, y=0.02 / figure.get_figheight(), va="bottom")
    return figure


def lines(chart: Lines) -> Any:
    """The figure: one panel a quantity, over the same axis."""
    figure, panels = _panels(len(chart.panels))
    for axes, (title, points) in zip(panels, chart.panels, strict=False):
        few = len(points) <= 30
        axes.plot(*zip(*points, strict=True), "o-" if few else "-", color=SERIES[0], markersize=3, linewidth=1.4)
        axes.set_title(clipped(title), fontsize=8.5)
    figure.supxlabel(chart.axis, fontsize=9, y=0.02 / figure.get_figheight(), va="bottom")
    return figure


def _panels(number: int) -> tuple[Any, Sequence[Any]]:
    rows = max(1, ceil(number / ACROSS))
    figure, axes = canvas(1.0 * rows + 0.5 * (rows - 1), 0.5, columns=ACROSS, rows=rows, gap=0.5)
    panels = list(axes.flat)
    for axes in panels[number:]:
        axes.set_visible(False)
    return figure, panels
