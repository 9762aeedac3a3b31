"""Correlation of two numbers of the same items, with intervals that draw whole clusters."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from attrs import frozen

from adidem.core.analysis.bootstrap import clustered_interval
from adidem.core.analysis.extra import library

if TYPE_CHECKING:
    from adidem.core.analysis.numbers import Numbers

VARIES = 1e-9
"""The least share of its squares that a sum of squared deviations must be, to be more than rounding."""

LEAST = 4
"""The fewest items from which a correlation is computed."""


@frozen
class Related:
    """Pearson's r and Spearman's ρ over `n` items, in [-1, 1], with 95 % intervals. None, with the reason in
    `undefined`, where there is none."""

    n: int
    pearson: float | None = None
    pearson_low: float | None = None
    pearson_high: float | None = None
    spearman: float | None = None
    spearman_low: float | None = None
    spearman_high: float | None = None
    undefined: str | None = None


def related(
    xs: Sequence[float], ys: Sequence[float], clusters: Sequence[str], counts: Sequence[int] | None = None
) -> Related:
    """How two numbers of the same items go together. With `counts` each item stands for so many equal ones.
    Spearman's interval is that of Pearson's r of the ranks, which are not made anew in each draw.

    Raises:
        ConfigError: scipy, of the extra `analysis`, is not installed.
    """
    np, stats = library("numpy"), library("scipy.stats")
    times = np.ones(len(xs), dtype=int) if counts is None else np.asarray(counts, dtype=int)
    n = int(times.sum())
    if n < LEAST:
        return Related(n, undefined=f"fewer than {LEAST} have both")
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        return Related(n, undefined="one of the two never varies")
    all_x, all_y = np.repeat(np.asarray(xs, dtype=float), times), np.repeat(np.asarray(ys, dtype=float), times)
    r, rho = float(stats.pearsonr(all_x, all_y).statistic), float(stats.spearmanr(all_x, all_y).statistic)
    if not (isfinite(r) and isfinite(rho)):
        return Related(n, undefined="one of the two hardly varies")
    inside = [cluster for cluster, number in zip(clusters, times, strict=True) for _ in range(number)]
    low, high = _interval(all_x, all_y, inside)
    rank_low, rank_high = _interval(stats.rankdata(all_x), stats.rankdata(all_y), inside)
    return Related(n, r, low, high, rho, rank_low, rank_high)


def _interval(xs: Numbers, ys: Numbers, clusters: Sequence[str]) -> tuple[float, float] | tuple[None, None]:
    """A 95 % interval of Pearson's r by the bootstrap over clusters, (None, None) where there is none."""
    np = library("numpy")
    x, y = xs - xs.mean(), ys - ys.mean()
    features = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    return clustered_interval(features, clusters, r_of_sums) or (None, None)


def r_of_sums(sums: Numbers) -> Numbers:
    """Pearson's r of each draw from its sums n, x, y, x², y², xy: (resamples, 6) to (resamples,). NaN where one
    of the two does not vary in a draw beyond rounding."""
    numpy = library("numpy")
    n, x, y, xx, yy, xy = sums.T
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    varies = (spread_x > VARIES * n * xx) & (spread_y > VARIES * n * yy)
    r = (n * xy - x * y) / numpy.sqrt(numpy.where(varies, spread_x * spread_y, numpy.nan))
    bounded: Numbers = numpy.clip(r, -1.0, 1.0)
    return bounded
