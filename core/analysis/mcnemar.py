"""McNemar's exact test of paired yes-or-no outcomes."""

from __future__ import annotations

from attrs import frozen

from adidem.core.analysis.extra import library


@frozen
class McNemar:
    """The pairs that changed: `gained` from false to true, `lost` from true to false; two-sided exact p in (0, 1]. It
    takes pairs as independent, and so is too sure where a scenario holds several: read the sign-flip test first."""

    gained: int
    lost: int
    p: float


def mcnemar(gained: int, lost: int) -> McNemar:
    """The binomial test of `gained` among the pairs that changed, at one half.

    Raises:
        ConfigError: scipy, of the extra `analysis`, is not installed.
    """
    if gained + lost == 0:
        return McNemar(0, 0, 1.0)
    found = library("scipy.stats").binomtest(gained, gained + lost, 0.5)
    return McNemar(gained, lost, min(1.0, float(found.pvalue)))
