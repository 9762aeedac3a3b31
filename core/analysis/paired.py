"""Paired differences of two runs, or two conditions, on what they share."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from adidem.core.analysis.bootstrap import Estimate, clustered_mean
from adidem.core.analysis.mcnemar import McNemar, mcnemar
from adidem.core.analysis.power import detectable
from adidem.core.analysis.signflip import SignFlip, sign_flip


@frozen
class Paired:
    """The second against the first on the items that both have: both means, the mean of the differences, second less
    first, with its percentile interval, its BCa limits (None where there are none), the sign-flip test on clusters,
    McNemar's exact test where all values are 0 or 1 (else None), and the minimum detectable difference."""

    first: float
    second: float
    difference: Estimate
    bca_low: float | None
    bca_high: float | None
    sign_flip: SignFlip
    mcnemar: McNemar | None
    detectable: float | None


def paired(first: Sequence[float], second: Sequence[float], clusters: Sequence[str], seed: int = 0) -> Paired | None:
    """Compares two numbers of each item; None where there is no item. Both numbers of an item are drawn together, with
    their whole cluster.

    Raises:
        ConfigError: the extra `analysis` is not installed.
    """
    if not first:
        return None
    apart = [after - before for before, after in zip(first, second, strict=True)]
    found = clustered_mean(apart, clusters, seed)
    accelerated = clustered_mean(apart, clusters, seed, method="bca")
    binary = {*first, *second} <= {0.0, 1.0}
    return Paired(
        sum(first) / len(first),
        sum(second) / len(second),
        found,
        accelerated.ci_low,
        accelerated.ci_high,
        sign_flip(apart, clusters, seed),
        mcnemar(sum(d > 0 for d in apart), sum(d < 0 for d in apart)) if binary else None,
        detectable(apart, clusters),
    )
