"""The headline figures, with percentile and BCa intervals."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.analysis.bootstrap import Estimate, clustered_mean
from adidem.core.analysis.power import detectable
from adidem.core.errors import ConfigError
from adidem.core.report.charts import Intervals, Mark
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import HEADLINES, Row
from adidem.core.report.ratings import judged_only, recorded
from adidem.core.report.section import Section, Table
from adidem.core.report.summary import Summary
from adidem.core.report.text import cell
from adidem.core.report.wording import TITLES, evidence, percent, without_integrity, without_ratings

JUDGED = "these families keep no records: nothing is verified, and what judges rated is all there is"
HEAD = ("measure", "%", "95 % percentile", "95 % BCa", "n", "unscored", "detectable")


def headline(facts: Facts) -> Section:
    """Feasibility, Integrity, Verified Success, and both worlds."""
    summary, plain = facts.summary, facts.plain
    if judged_only(summary):
        return Section("headline", [*_said(facts), JUDGED])
    paired = len(summary.by_world) > 1
    rows = [_row(TITLES[name], summary.metrics[name], *_more(plain, name)) for name in HEADLINES]
    if paired:
        rows.append(_row("Verified in both worlds", summary.both_worlds, "", ""))
    marks = [(TITLES[name], [mark("", summary.metrics[name])]) for name in HEADLINES]
    if paired:
        marks.append(("Verified in both worlds", [mark("", summary.both_worlds)]))
    chart = Intervals([(label, found) for label, (one,) in marks if (found := [m for m in [one] if m])], *SHARES)
    return Section("headline", _said(facts), [Table(HEAD, rows)], chart if chart.rows else None)


def _said(facts: Facts) -> list[str]:
    summary, counts = facts.summary, facts.summary.episodes
    return [
        evidence(summary),
        f"episodes: {counts['scored']} scored, {counts['failed']} failed, {counts['owed']} owed",
        *without_integrity(summary),
        *without_ratings(summary),
        *(cell(f"{name}: {said}", 600) for name, said in recorded(summary)),
        *_barriers(summary),
        *facts.notes,
    ]


SHARES = ("per cent of scored episodes", (0.0, 100.0))


def mark(series: str, estimate: Estimate) -> Mark | None:
    """A share as a mark in per cent; None where nothing was scored."""
    if estimate.value is None:
        return None
    low, high = (None if end is None else 100 * end for end in (estimate.ci_low, estimate.ci_high))
    return Mark(series, 100 * estimate.value, low, high)


def _row(title: str, estimate: Estimate, accelerated: str, seen: str) -> Sequence[str]:
    value = "unscored" if estimate.value is None else f"{100 * estimate.value:.1f}"
    return title, value, interval(estimate), accelerated, str(estimate.n), str(estimate.unscored), seen


def interval(estimate: Estimate) -> str:
    """`47.1 to 58.8`, in per cent; empty where there is none."""
    if estimate.ci_low is None or estimate.ci_high is None:
        return ""
    return f"{100 * estimate.ci_low:.1f} to {100 * estimate.ci_high:.1f}"


def _more(rows: Sequence[Row], name: str) -> tuple[str, str]:
    values = [(float(row[name]), row["scenario"]) for row in rows if row[name] is not None]
    scores, clusters = [v for v, _ in values], [c for _, c in values]
    accelerated = clustered_mean(scores, clusters, method="bca")
    try:
        seen = detectable(scores, clusters)
    except ConfigError:
        return interval(accelerated), "needs adidem[analysis]"
    return interval(accelerated), _seen(seen)


def _seen(detectable: float | None) -> str:
    if not detectable:
        return ""
    return f"± {100 * detectable:.1f}" if detectable < 1 else "nothing"


def _barriers(summary: Summary) -> list[str]:
    """What barriers do to Verified Success: a headline only where models spoke and judged."""
    if summary.barriers is None or judged_only(summary):
        return []
    if summary.evidence != "model":
        return [
            "Verified Success under barriers: not measured with models yet (the part on barriers shows the mechanism)"
        ]
    found = [effect for effect in summary.barriers.effects if effect.measure == "verified_success"]
    return [
        f"Verified Success under {cell(one.condition)} against none: {100 * one.under:.1f} % against "
        f"{100 * one.without:.1f} %, difference in points {percent(one.difference)}"
        for one in found
    ]
