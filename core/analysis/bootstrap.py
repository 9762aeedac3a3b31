"""The bootstrap, clustered: whole clusters are drawn, with everything inside them; percentile and BCa intervals.

Every interval of the project that is not by formula comes from here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Literal, TypeAlias

from attrs import frozen

from adidem.core.analysis.bca import bca_shares

if TYPE_CHECKING:
    from adidem.core.analysis.numbers import Numbers

RESAMPLES = 2000
LEVEL = 0.95
DEFINED = 0.5
"""The least share of draws in which a statistic must be defined to have an interval."""

MANY = 500
"""Up to so many clusters, draws are kept for the next figure over as many (8 MB)."""

BATCH = 2_000_000
"""Numbers of draws that are made at once."""

Method: TypeAlias = Literal["percentile", "bca"]


@frozen
class Estimate:
    """A mean with its interval. `n` values were scored, `unscored` were not and are in no mean; value and
    interval are None where nothing was scored. With one cluster there is no interval."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    unscored: int = 0


def clustered_mean(
    values: Sequence[float | bool | None],
    clusters: Sequence[str],
    seed: int = 0,
    resamples: int = RESAMPLES,
    counts: Sequence[int] | None = None,
    method: Method = "percentile",
) -> Estimate:
    """The mean of the scored values with a 95 % interval from `resamples` draws of whole clusters.

    A cluster is a scenario: both worlds, both roles and all repeats are inside it. Unscored values (None) are left
    out of the mean and counted. With `counts` each value stands for so many equal ones. The generator is made from
    `seed`, so the interval repeats.
    """
    times = [1] * len(values) if counts is None else counts
    scored = [(float(v), c, n) for v, c, n in zip(values, clusters, times, strict=True) if v is not None]
    number = sum(n for _, _, n in scored)
    unscored = sum(times) - number
    if not scored:
        return Estimate(None, None, None, 0, unscored)
    mean = fsum(value * n for value, _, n in scored) / number
    sums = [(value * n, float(n)) for value, _, n in scored]
    interval = clustered_interval(sums, [c for _, c, _ in scored], _mean, seed, resamples, method)
    low, high = interval or (None, None)
    return Estimate(mean, low, high, number, unscored)


def _mean(sums: Numbers) -> Numbers:
    return sums[:, 0] / sums[:, 1]


def clustered_interval(
    features: Sequence[Sequence[float]] | Numbers,
    clusters: Sequence[str],
    statistic: Callable[[Numbers], Numbers],
    seed: int = 0,
    resamples: int = RESAMPLES,
    method: Method = "percentile",
) -> tuple[float, float] | None:
    """A 95 % interval, percentile or BCa, of a statistic that depends on sums over the items alone.

    `features` is one row of numbers an item. Whole clusters are drawn `resamples` times; `statistic` is given the sums
    of the features in each draw, (resamples, features), and gives one number each, NaN where it is undefined. None
    with one cluster, or where it is undefined in more than half of the draws; of BCa also where that has no limits.
    """
    import numpy as np

    sums = cluster_sums(features, clusters)  # (clusters, features)
    if len(sums) < 2:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = statistic(drawn_sums(sums, seed, resamples))
        drawn = drawn[np.isfinite(drawn)]
        if len(drawn) < DEFINED * resamples:
            return None
        shares: tuple[float, float] | None = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
        if method == "bca":
            total = sums.sum(axis=0)
            shares = bca_shares(float(statistic(total[None])[0]), drawn, statistic(total - sums), LEVEL)
    if shares is None:
        return None
    low, high = np.quantile(drawn, shares)
    return float(low), float(high)


def cluster_sums(
    features: Sequence[Sequence[float]] | Numbers, clusters: Sequence[str], names: Sequence[str] | None = None
) -> Numbers:
    """The sums of the features in each cluster, (clusters, features); in the order of their names, or of `names`."""
    import numpy as np

    order = sorted(set(clusters)) if names is None else names
    place = {name: index for index, name in enumerate(order)}
    rows = np.asarray(features, dtype=float)
    sums: Numbers = np.zeros((len(order), rows.shape[1] if rows.ndim == 2 else 0))
    np.add.at(sums, [place[cluster] for cluster in clusters], rows)
    return sums


def drawn_sums(sums: Numbers, seed: int = 0, resamples: int = RESAMPLES) -> Numbers:
    """The sums of the features in each draw, (resamples, features), from those in each cluster, (clusters, features).
    As many clusters are drawn as there are, with replacement; figures that are to be drawn together are features of one
    call. Of very many clusters equal ones are drawn as one kind, as often as any of them: the same distribution from
    far fewer numbers."""
    import numpy as np

    clusters = len(sums)
    if clusters <= MANY:
        return _weights(clusters, seed, resamples) @ sums
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    rng, batch = np.random.default_rng(seed), max(1, BATCH // len(kinds))
    parts = [
        rng.multinomial(clusters, counts / clusters, size=min(batch, resamples - start)) @ kinds
        for start in range(0, resamples, batch)
    ]
    return np.concatenate(parts)


@lru_cache(maxsize=8)
def _weights(clusters: int, seed: int, resamples: int) -> Numbers:
    """How often each cluster is in each draw, (resamples, clusters)."""
    import numpy as np

    rng = np.random.default_rng(seed)
    return rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples).astype(float)
