"""Ranks of several things by two measures, and how the two orders agree, with intervals that draw whole clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

from adidem.core.analysis.bootstrap import DEFINED, LEVEL, cluster_sums, drawn_sums
from adidem.core.analysis.extra import library

if TYPE_CHECKING:
    from adidem.core.analysis.numbers import Numbers

Item: TypeAlias = tuple[str, float, int]
"""A cluster, a value in it, and how many items have just that value there."""

LEAST = 3
"""The fewest things between whose orders a correlation is computed."""


@frozen
class Ranked:
    """The mean of one thing and its rank by it, 1 the highest, ties in between, with a 95 % interval of the rank."""

    value: float
    rank: float
    low: float | None = None
    high: float | None = None


@frozen(unsafe_hash=False)
class Orders:
    """Every thing by both measures, and Spearman's ρ of the two orders with its 95 % interval; None with fewer than
    three things, or where all are equal by one of the measures."""

    by_first: Mapping[str, Ranked]
    by_second: Mapping[str, Ranked]
    spearman: float | None = None
    low: float | None = None
    high: float | None = None


def ranked_by_two(first: Mapping[str, Sequence[Item]], second: Mapping[str, Sequence[Item]], seed: int = 0) -> Orders:
    """Ranks the things that both measures know. The clusters of all things and both measures are drawn together: what
    shares a scenario moves with it. A draw in which a thing has no item says nothing about any rank.

    Raises:
        ConfigError: scipy, of the extra `analysis`, is not installed.
    """
    np = library("numpy")
    names = [name for name in first if first[name] and second.get(name)]
    if not names:
        return Orders({}, {})
    clusters = sorted({cluster for measure in (first, second) for name in names for cluster, _, _ in measure[name]})
    sums = [_sums(measure[name], clusters) for measure in (first, second) for name in names]
    every = np.column_stack(sums)  # (clusters, 2 measures × things × 2): drawn together
    totals = np.vstack([every.sum(axis=0), drawn_sums(every, seed)]).reshape(-1, 2, len(names), 2)
    one, two = (_means_and_ranks(totals[:, measure]) for measure in (0, 1))
    rho, low, high = _agreement(one[1], two[1], many=len(names) >= LEAST)
    return Orders(_ranked(names, *one), _ranked(names, *two), rho, low, high)


def _ranked(names: Sequence[str], means: Numbers, orders: Numbers) -> dict[str, Ranked]:
    return {name: Ranked(float(means[i]), *_place(orders, i)) for i, name in enumerate(names)}


def _sums(items: Sequence[Item], clusters: Sequence[str]) -> Numbers:
    """The sum and the number of one thing's values in each cluster, (clusters, 2)."""
    np = library("numpy")
    inside, values, counts = zip(*items, strict=True)
    return cluster_sums(np.column_stack([np.multiply(values, counts), counts]), inside, clusters)


def _means_and_ranks(totals: Numbers) -> tuple[Numbers, Numbers]:
    """From sums and numbers, (1 + resamples, things, 2), the sample first: the means of the sample, (things,), and the
    ranks in every row, (1 + resamples, things), NaN in a draw that lacks a thing."""
    np, stats = library("numpy"), library("scipy.stats")
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.round(totals[:, :, 0] / totals[:, :, 1], 12)  # so that rounding makes no rank of a tie
    ranks = stats.rankdata(-means, axis=1, nan_policy="omit")
    ranks[~np.isfinite(means).all(axis=1)] = np.nan
    return means[0], ranks


def _place(orders: Numbers, index: int) -> tuple[float, float | None, float | None]:
    return (float(orders[0, index]), *_limits(orders[1:, index]))


def _limits(drawn: Numbers) -> tuple[float | None, float | None]:
    np = library("numpy")
    kept = drawn[np.isfinite(drawn)]
    if len(kept) < DEFINED * len(drawn):
        return None, None
    low, high = np.quantile(kept, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _agreement(first: Numbers, second: Numbers, *, many: bool) -> tuple[float | None, float | None, float | None]:
    """Spearman's ρ of the sample and its interval: Pearson's r of the ranks in each row."""
    np = library("numpy")
    if not many:
        return None, None, None
    x, y = (orders - orders.mean(axis=1, keepdims=True) for orders in (first, second))
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    if not np.isfinite(rho[0]):
        return None, None, None
    return (float(np.clip(rho[0], -1, 1)), *_limits(np.clip(rho[1:], -1, 1)))
