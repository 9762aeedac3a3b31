"""Percentile bootstrap of a mean, clustered: whole clusters are drawn, with everything inside them."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

RESAMPLES = 2000
LEVEL = 0.95


@frozen
class Estimate:
    """A mean with its percentile interval. `n` values were scored, `unscored` were not and are in no mean; value and
    interval are None where nothing was scored. With one cluster there is no interval."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    unscored: int = 0


def clustered_mean(
    values: Sequence[float | bool | None], clusters: Sequence[str], seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """The mean of the scored values with a 95 % interval from `resamples` draws of whole clusters.

    A cluster is a scenario: both worlds, both roles and all repeats are inside it. Unscored values (None) are left
    out of the mean and counted. The generator is made from `seed`, so the interval repeats.
    """
    import numpy as np

    scored = [(float(v), c) for v, c in zip(values, clusters, strict=True) if v is not None]
    unscored = len(values) - len(scored)
    if not scored:
        return Estimate(None, None, None, 0, unscored)
    names = sorted({c for _, c in scored})
    place = {name: index for index, name in enumerate(names)}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, cluster in scored:
        sums[place[cluster]] += value
        counts[place[cluster]] += 1
    mean = float(sums.sum() / counts.sum())
    if len(names) < 2:
        return Estimate(mean, None, None, len(scored), unscored)
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)  # (resamples, clusters)
    means = (weights @ sums) / (weights @ counts)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean, float(low), float(high), len(scored), unscored)
