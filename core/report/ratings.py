"""The ratings of a run as rows: each dimension for the tested seat (or the episode) and for the other seat."""

from __future__ import annotations

from collections.abc import Mapping

from adidem.core.analysis.bootstrap import Estimate
from adidem.core.report.grouping import HEADLINES
from adidem.core.report.summary import Summary

PARTNER = ".partner"


def number(estimate: Estimate | None) -> str:
    """`7.32 [6.91, 7.80]`, how many are unscored behind it; empty where there is no such rating."""
    if estimate is None:
        return ""
    if estimate.value is None:
        return "unscored"
    text = f"{estimate.value:.2f}"
    if estimate.ci_low is not None and estimate.ci_high is not None:
        text += f" [{estimate.ci_low:.2f}, {estimate.ci_high:.2f}]"
    return text + (f" ({estimate.unscored} unscored)" if estimate.unscored else "")


def rating_rows(metrics: Mapping[str, Estimate]) -> list[tuple[str, str, str]]:
    """(dimension, tested seat or episode, other seat) as text, Integrity left out: it stands in the headlines."""
    names = [n for n in metrics if n not in HEADLINES and not n.endswith((PARTNER, ".integrity"))]
    return [(name, number(metrics[name]), number(metrics.get(name + PARTNER))) for name in names]


def judged_only(summary: Summary) -> bool:
    """Whether the run's families keep no records: then there is nothing to head the table with but ratings."""
    first = summary.metrics["feasibility"]
    return first.n == 0 and summary.episodes["scored"] > 0
