"""What the plots of a report show, as values; `plots/` draws them. Every chart's numbers also stand in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from attrs import frozen


@frozen
class Mark:
    """One figure of a series with its interval, where it has one."""

    series: str
    value: float
    low: float | None = None
    high: float | None = None


@frozen(unsafe_hash=False)
class Intervals:
    """Rows of figures with intervals on one axis, several series side by side; `zero` draws a line at no difference."""

    rows: Sequence[tuple[str, Sequence[Mark]]]
    axis: str
    limits: tuple[float, float] | None = None
    zero: bool = False


@frozen(unsafe_hash=False)
class Bars:
    """One number a label."""

    values: Sequence[tuple[str, float]]
    axis: str


@frozen(unsafe_hash=False)
class Stacked:
    """How the episodes of each label divide, as shares of all of them."""

    rows: Sequence[tuple[str, Mapping[str, int]]]
    axis: str


@frozen(unsafe_hash=False)
class Histograms:
    """One small panel a rating: (title, [(score, count)])."""

    panels: Sequence[tuple[str, Sequence[tuple[float, int]]]]
    axis: str


@frozen(unsafe_hash=False)
class Lines:
    """One small panel a quantity, all over the same axis: (title, [(x, y)])."""

    panels: Sequence[tuple[str, Sequence[tuple[float, float]]]]
    axis: str


@frozen(unsafe_hash=False)
class Slopes:
    """Each thing's rank by two measures, 1 on top: (label, first, second)."""

    rows: Sequence[tuple[str, float, float]]
    titles: tuple[str, str]


Chart: TypeAlias = Intervals | Bars | Stacked | Histograms | Lines | Slopes
