"""Holm's correction of several p values."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.analysis.extra import library


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """The p values, each adjusted for all of them by Holm (1979), in their order; None (not tested) stays None and
    counts for nothing.

    Raises:
        ConfigError: statsmodels, of the extra `analysis`, is not installed.
    """
    tested = [p for p in ps if p is not None]
    if len(tested) < 2:
        return list(ps)
    adjusted = iter(library("statsmodels.stats.multitest").multipletests(tested, method="holm")[1])
    return [None if p is None else float(next(adjusted)) for p in ps]
