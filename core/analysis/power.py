"""What a design can see: the smallest true difference that it would find."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import fsum, isfinite, sqrt

from adidem.core.analysis.bootstrap import cluster_sums
from adidem.core.analysis.extra import library

POWER, ALPHA = 0.8, 0.05


def clustered_error(values: Sequence[float], clusters: Sequence[str], counts: Sequence[int] | None = None) -> float:
    """The standard error of a mean whose values come in clusters: √(k / (k - 1) · Σ (Sᵢ - nᵢ m)²) / n over the k
    clusters' sums Sᵢ and sizes nᵢ, m the mean of all n values (the cluster-robust variance of a ratio). NaN with fewer
    than two clusters."""
    times = [1] * len(values) if counts is None else counts
    rows = [(value * number, float(number)) for value, number in zip(values, times, strict=True)]
    sums = cluster_sums(rows, clusters)
    if len(sums) < 2:
        return float("nan")
    total, n = sums.sum(axis=0)
    apart = sums[:, 0] - sums[:, 1] * (total / n)
    return sqrt(len(sums) / (len(sums) - 1) * float(apart @ apart)) / float(n)


def detectable(
    values: Sequence[float],
    clusters: Sequence[str],
    counts: Sequence[int] | None = None,
    power: float = POWER,
    alpha: float = ALPHA,
) -> float | None:
    """The minimum detectable difference of a mean from 0 (of paired differences: between the two): with the clusters'
    variance as seen, a true difference of that size is found with probability `power` by a two-sided test at `alpha`,
    a t test on clusters. None with fewer than two clusters; 0 where they do not vary at all, which says that too little
    was seen rather than that all could be.

    Raises:
        ConfigError: scipy, of the extra `analysis`, is not installed.
    """
    number = len(set(clusters))
    if number < 2:
        return None
    return _shift(number - 1, power, alpha) * clustered_error(values, clusters, counts)


@cache
def _shift(freedom: int, power: float, alpha: float) -> float:
    """How many standard errors from 0 the mean must lie: where the noncentral t distribution, shifted by so many, lies
    beyond the two critical values with that probability."""
    stats, optimize = library("scipy.stats"), library("scipy.optimize")
    critical = stats.t.isf(alpha / 2, freedom)

    def found(shift: float) -> float:
        tails = stats.nct.sf(critical, freedom, shift), stats.nct.cdf(-critical, freedom, shift)
        return fsum(float(tail) for tail in tails if isfinite(tail)) - power  # the far tail of a far shift is NaN

    far = critical
    while found(far) < 0:
        far *= 2
    return float(optimize.brentq(found, 0.0, far))
