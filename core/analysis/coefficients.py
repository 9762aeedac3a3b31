"""Coefficients of agreement, from well-kept libraries; one that is undefined is None with the reason, never NaN.

Cohen's κ: scikit-learn. Fleiss' κ: statsmodels. Krippendorff's α: krippendorff. Pearson's r: scipy. ICC(2,1) and
ICC(2,k) of Shrout and Fleiss (1979), two-way random effects and absolute agreement, which McGraw and Wong (1996) call
ICC(A,1) and ICC(A,k): pingouin. The formulas written out here serve the bootstrap alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, Any

from attrs import frozen

from adidem.core.analysis.bootstrap import clustered_interval, clustered_mean
from adidem.core.analysis.extra import library

if TYPE_CHECKING:
    from adidem.core.analysis.numbers import Numbers

LEAST = 3
"""The fewest items from which Pearson's r and an ICC are computed."""

ONE_CATEGORY = "only one category was used"
NO_VARIATION = "a rater gave the same score throughout"
NO_ITEMS = "no item was rated by all"
TOO_FEW = f"fewer than {LEAST} items were rated by all"
NO_COEFFICIENT = "the variances give no coefficient"
LESS_THAN_CHANCE = "ICC(2,1) is below 0, so that a mean of the raters has no reliability"

NEARLY = 1e-9
"""What rounding may make of 0, or of 1."""

CLUSTERED = "bootstrap over scenarios"
ANALYTIC_F = "F distribution, items independent"
ANALYTIC_Z = "Fisher's z, items independent"


@frozen
class Figure:
    """One coefficient over `n` items, with a 95 % interval where there is one and how that was made (`interval`).
    `value` is None where it is undefined; `undefined` then says why."""

    value: float | None
    n: int
    ci_low: float | None = None
    ci_high: float | None = None
    interval: str | None = None
    undefined: str | None = None


Rows = Sequence[Sequence[Any]]
"""One row an item, one value a rater, complete: category numbers from 0 up, or scores."""


def raw_agreement(rows: Rows, clusters: Sequence[str]) -> Figure:
    """The share of pairs of raters that agree on an item, averaged over items, in [0, 1]; clustered interval."""
    if not rows:
        return Figure(None, 0, undefined=NO_ITEMS)
    found = clustered_mean([_pairs_alike(row) for row in rows], clusters)
    return Figure(found.value, found.n, found.ci_low, found.ci_high, CLUSTERED if found.ci_low is not None else None)


def _pairs_alike(row: Sequence[Any]) -> float:
    alike: list[bool] = [one == other for one, other in combinations(row, 2)]
    return sum(alike) / len(alike)


def cohen_kappa(rows: Rows, clusters: Sequence[str]) -> Figure:
    """Cohen's κ of two raters, at most 1; clustered interval. Undefined where both use one and the same category; where
    one of them alone does, it is 0 in every draw, and there is no interval."""
    undefined = _undefined(rows)
    if undefined:
        return Figure(None, len(rows), undefined=undefined)
    first, second = ([row[rater] for row in rows] for rater in (0, 1))
    value = float(library("sklearn.metrics").cohen_kappa_score(first, second))
    size = 1 + max(max(row) for row in rows)
    cells = [_cells(row, size) for row in rows]
    interval = None if _constant(rows) else clustered_interval(cells, clusters, _kappa_of_cells)
    return _figure(value, len(rows), interval, CLUSTERED)


def _cells(row: Sequence[int], size: int) -> list[float]:
    """A one in the cell of a size × size confusion matrix, row by row."""
    cells = [0.0] * (size * size)
    cells[row[0] * size + row[1]] = 1.0
    return cells


def _kappa_of_cells(sums: Numbers) -> Numbers:
    size = round(sums.shape[1] ** 0.5)
    table = sums.reshape(-1, size, size) / sums.sum(axis=1)[:, None, None]  # (resamples, first rater, second rater)
    chance = (table.sum(axis=2) * table.sum(axis=1)).sum(axis=1)
    return _over_chance(table.trace(axis1=1, axis2=2), chance)


def _over_chance(observed: Numbers, chance: Numbers) -> Numbers:
    """(observed - chance) / (1 - chance), NaN where chance is 1 but for rounding."""
    numpy = library("numpy")
    kappa: Numbers = (observed - chance) / numpy.where(1 - chance > NEARLY, 1 - chance, numpy.nan)
    return kappa


def fleiss_kappa(rows: Rows, clusters: Sequence[str]) -> Figure:
    """Fleiss' κ of two raters or more, at most 1; clustered interval. Undefined where one category was used."""
    undefined = _undefined(rows)
    if undefined:
        return Figure(None, len(rows), undefined=undefined)
    size = 1 + max(max(row) for row in rows)
    counts = [[list(row).count(category) for category in range(size)] for row in rows]
    value = float(library("statsmodels.stats.inter_rater").fleiss_kappa(library("numpy").array(counts)))
    features = [[_pairs_alike(row), *(count / len(row) for count in c)] for row, c in zip(rows, counts, strict=True)]
    return _figure(value, len(rows), clustered_interval(features, clusters, _fleiss_of_sums), CLUSTERED)


def _fleiss_of_sums(sums: Numbers) -> Numbers:
    items = sums[:, 1:].sum(axis=1)
    shares = sums[:, 1:] / items[:, None]  # (resamples, categories)
    chance = (shares**2).sum(axis=1)
    return _over_chance(sums[:, 0] / items, chance)


def krippendorff_alpha(rows: Rows, level: str) -> Figure:
    """Krippendorff's α, `level` nominal or interval, at most 1. A missing value is None; items with fewer than two
    values count for nothing. Undefined where only one value occurs."""
    paired = [row for row in rows if sum(value is not None for value in row) > 1]
    if not paired:
        return Figure(None, 0, undefined=NO_ITEMS)
    if len({value for row in paired for value in row if value is not None}) == 1:
        return Figure(None, len(paired), undefined=ONE_CATEGORY)
    numpy = library("numpy")
    table = numpy.array(paired, dtype=float).T  # (raters, items), NaN where missing
    value = float(library("krippendorff").alpha(reliability_data=table, level_of_measurement=level))
    return _figure(value, len(paired))


def pearson(rows: Rows) -> Figure:
    """Pearson's r of two raters, in [-1, 1], with Fisher's interval from four items on. Undefined where a rater gives
    one score throughout."""
    undefined = TOO_FEW if len(rows) < LEAST else NO_VARIATION if _constant(rows) else None
    if undefined:
        return Figure(None, len(rows), undefined=undefined)
    with quiet():
        found = library("scipy.stats").pearsonr(*([row[rater] for row in rows] for rater in (0, 1)))
        interval = tuple(found.confidence_interval(0.95)) if len(rows) > LEAST else None
    return _figure(float(found.statistic), len(rows), interval, ANALYTIC_Z)


def icc(rows: Rows) -> tuple[Figure, Figure]:
    """ICC(2,1), of one rater's scores, and ICC(2,k), of the mean of all raters, at most 1, with F intervals. Undefined
    where all scores are equal; ICC(2,k) also where ICC(2,1) is negative."""
    scores = {score for row in rows for score in row}
    undefined = TOO_FEW if len(rows) < LEAST else NO_VARIATION if len(scores) == 1 else None
    if undefined:
        none = Figure(None, len(rows), undefined=undefined)
        return none, none
    items, raters = len(rows), len(rows[0])
    table = library("pandas").DataFrame(
        {
            "item": [item for item in range(items) for _ in range(raters)],
            "rater": [rater for _ in range(items) for rater in range(raters)],
            "score": [float(score) for row in rows for score in row],
        }
    )
    with quiet(), _unrounded():
        found = library("pingouin").intraclass_corr(table, targets="item", raters="rater", ratings="score")
    single, mean = (
        _figure(float(row["ICC"]), items, (float(row["CI95"][0]), float(row["CI95"][1])), ANALYTIC_F)
        for kind in ("ICC(A,1)", "ICC(A,k)")
        for _, row in found[found["Type"] == kind].iterrows()
    )
    if single.value is not None and single.value < -NEARLY:
        mean = Figure(None, items, undefined=LESS_THAN_CHANCE)
    return single, mean


@contextmanager
def _unrounded() -> Iterator[None]:
    """pingouin rounds intervals to two digits unless told otherwise."""
    options = library("pingouin").options
    before = dict(options)
    options["round.column.CI95"] = None
    try:
        yield
    finally:
        options.clear()
        options.update(before)


@contextmanager
def quiet() -> Iterator[None]:
    """What the libraries warn of (a division by no variance) is looked at in the figure itself."""
    with warnings.catch_warnings(), library("numpy").errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _undefined(rows: Rows) -> str | None:
    if not rows:
        return NO_ITEMS
    return ONE_CATEGORY if len({value for row in rows for value in row}) == 1 else None


def _constant(rows: Rows) -> bool:
    return any(len({row[rater] for row in rows}) == 1 for rater in range(len(rows[0])))


def _figure(value: float, n: int, interval: Sequence[float] | None = None, made: str | None = None) -> Figure:
    if not isfinite(value) or value > 1 + NEARLY:
        return Figure(None, n, undefined=NO_COEFFICIENT)
    value = min(value, 1.0)
    if interval is None or not all(isfinite(end) for end in interval):
        return Figure(value, n)
    low, high = interval
    return Figure(value, n, low, high, made)
