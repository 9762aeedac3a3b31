"""Draws a chart, whichever it is, as SVG for a page."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from adidem.core.analysis.extra import library
from adidem.core.report.charts import Bars, Chart, Histograms, Intervals, Lines, Slopes, Stacked
from adidem.core.report.plots import bars, intervals, panels, slopes, stacked
from adidem.core.report.plots.style import noted, styled
from adidem.core.report.plots.svg import inline

DRAWN: dict[type, Callable[[Any], Any]] = {
    Intervals: intervals.draw,
    Bars: bars.draw,
    Stacked: stacked.draw,
    Histograms: panels.histograms,
    Lines: panels.lines,
    Slopes: slopes.draw,
}


def draw(chart: Chart, name: str, says: str, note: str = "") -> str:
    """The chart as one `<svg>` element whose ids begin with `name`; `says` is its text for who cannot see it, and
    `note` stands in its corner, where it stays with a plot that is taken out of the page.

    Raises:
        ConfigError: matplotlib, of the extra `analysis`, is not installed.
    """
    library("matplotlib")
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's own fonts draw the text
        figure = DRAWN[type(chart)](chart)
        if note:
            noted(figure, note)
        return inline(figure, name, says)
