"""The sign-flip test of paired differences, whole clusters flipped: exact where there are few clusters."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from adidem.core.analysis.extra import library

EXACT = 12
"""As many clusters that differ are enumerated whole (4,096 sign patterns); with more, patterns are drawn."""

PATTERNS = 9_999
"""Sign patterns that are drawn; with the observed one the least p is 1 in 10,000."""

NEARLY = 1e-12
"""What rounding may make of a sum that is 0."""


@frozen
class SignFlip:
    """Two-sided p in (0, 1] of `no difference`; `exact` where every sign pattern was looked at. `clusters` is how many
    clusters differ at all: the others say nothing."""

    p: float
    exact: bool
    clusters: int


def sign_flip(
    differences: Sequence[float], clusters: Sequence[str], seed: int = 0, counts: Sequence[int] | None = None
) -> SignFlip:
    """Tests whether paired differences lie about 0: under the null a cluster's summed difference is as likely to have
    the other sign. The statistic is the sum over clusters; `scipy.stats.permutation_test` does the flipping. With
    `counts` each difference stands for so many equal ones.

    Raises:
        ConfigError: scipy, of the extra `analysis`, is not installed.
    """
    np, stats = library("numpy"), library("scipy.stats")
    times = [1] * len(differences) if counts is None else counts
    sums: dict[str, float] = {}
    for difference, cluster, number in zip(differences, clusters, times, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + difference * number
    apart = np.array([sums[name] for name in sorted(sums) if abs(sums[name]) > NEARLY])
    if len(apart) < 2:
        return SignFlip(1.0, True, len(apart))
    exact = len(apart) <= EXACT
    found = stats.permutation_test(
        (apart,),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**EXACT if exact else PATTERNS,
        rng=np.random.default_rng(seed),
    )
    return SignFlip(min(1.0, float(found.pvalue)), exact, len(apart))
