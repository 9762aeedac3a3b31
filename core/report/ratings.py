"""The ratings of a run as rows: each dimension for the tested seat (or the episode) and for the other seat."""

from __future__ import annotations

from adidem.core.analysis.bootstrap import Estimate
from adidem.core.report.grouping import HEADLINES
from adidem.core.report.summary import Summary

PARTNER = ".partner"
MEANS = "means with 95 % intervals"
BASELINE = "baseline: what others made of the same tasks, no rating of these agents"


def number(estimate: Estimate | None) -> str:
    """`7.32 [6.91, 7.80]`, how many are unscored behind it; empty where there is no such rating."""
    if estimate is None:
        return ""
    if estimate.value is None:
        return "unscored"
    text = rounded(estimate.value)
    if estimate.ci_low is not None and estimate.ci_high is not None:
        text += f" [{rounded(estimate.ci_low)}, {rounded(estimate.ci_high)}]"
    return text + (f" ({estimate.unscored} unscored)" if estimate.unscored else "")


def rounded(value: float, form: str = ".2f") -> str:
    """A number so written; one that rounds to nothing has no sign."""
    return f"{float(f'{value:{form}}') + 0.0:{form}}"


def rating_rows(summary: Summary) -> list[tuple[str, str, str]]:
    """(dimension, tested seat or episode, other seat) as text, without Integrity, which stands in the headlines, and
    without baselines."""
    metrics = summary.metrics
    out = (*HEADLINES, *summary.baselines)
    names = [name for name in metrics if name not in out and not name.endswith((PARTNER, ".integrity"))]
    return [(name, number(metrics[name]), number(metrics.get(name + PARTNER))) for name in names]


def baseline_rows(summary: Summary) -> list[tuple[str, str]]:
    """(dimension, mean) as text of what others made of the same tasks."""
    return [(name, number(summary.metrics[name])) for name in summary.baselines]


def meanings(summary: Summary) -> list[tuple[str, str]]:
    """What each rating in the report means, a rating by several models once; those that nothing is said of are left
    out."""
    shown = [name for name, *_ in (*rating_rows(summary), *baseline_rows(summary))]
    kinds = dict.fromkeys(_kind(name) for name in shown)
    return [(kind, summary.about[kind]) for kind in kinds if kind in summary.about]


def _kind(name: str) -> str:
    """`judge.dimension` without the model that the judge asked; neither a judge nor a dimension has a dot in it."""
    judge, _, rest = name.partition("@")
    return f"{judge}.{rest.rpartition('.')[2]}" if rest else name


def recorded(summary: Summary) -> list[tuple[str, str]]:
    """What each family of the run is about, and what its records are."""
    return [(name, summary.about[name]) for name in summary.by_family if name in summary.about]


def integrity_judged(summary: Summary) -> bool:
    """Whether a judge of Integrity sat in the run."""
    return any(name.endswith(".integrity") for name in summary.metrics)


def judged_only(summary: Summary) -> bool:
    """Whether the run's families keep no records: then there is nothing to head the table with but ratings."""
    first = summary.metrics["feasibility"]
    return first.n == 0 and summary.episodes["scored"] > 0
