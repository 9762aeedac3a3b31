"""Bias-corrected and accelerated (BCa) limits of a bootstrap: Efron (1987), Efron and Tibshirani (1993), chapter 14."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adidem.core.analysis.numbers import Numbers

NORMAL = NormalDist()


def bca_shares(observed: float, drawn: Numbers, left_out: Numbers, level: float) -> tuple[float, float] | None:
    """The shares of the draws, in [0, 1], between which a BCa interval of that level lies.

    `observed` is the statistic of the sample, `drawn` of each draw, `left_out` of the sample without each cluster in
    turn (the jackknife). The bias is z₀ = Φ⁻¹(share of draws below the observed, half of the equal ones counted), the
    acceleration a = Σ(θ̄ - θᵢ)³ / (6 (Σ(θ̄ - θᵢ)²)^(3/2)). None where one of them is not finite: then every draw lies on
    one side of the observed, or the statistic is undefined without some cluster.
    """
    import numpy as np

    below = ((drawn < observed).mean() + (drawn <= observed).mean()) / 2
    if not 0 < below < 1 or not np.isfinite(left_out).all():
        return None
    bias = NORMAL.inv_cdf(float(below))
    apart = left_out.mean() - left_out
    spread = float((apart**2).sum())
    acceleration = float((apart**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    low, high = (_share(bias, acceleration, share) for share in ((1 - level) / 2, (1 + level) / 2))
    return None if low is None or high is None else (low, high)


def _share(bias: float, acceleration: float, share: float) -> float | None:
    moved = bias + NORMAL.inv_cdf(share)
    scale = 1 - acceleration * moved
    return NORMAL.cdf(bias + moved / scale) if scale > 0 else None
