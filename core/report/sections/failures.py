"""Why plans failed, rule by rule; why episodes failed; why ratings are missing."""

from __future__ import annotations

from adidem.core.report.causes import why
from adidem.core.report.charts import Bars
from adidem.core.report.facts import Facts
from adidem.core.report.ratings import judged_only
from adidem.core.report.section import Section, Table
from adidem.core.report.text import cell

MOST = 20
"""As many rules are drawn; all are in the table."""


def failures(facts: Facts) -> Section:
    """Three tables; the chart shows the rules."""
    summary = facts.summary
    infeasible = sum(row["feasibility"] is not None and not row["feasibility"] for row in facts.plain)
    lines = [] if judged_only(summary) else [f"infeasible: {infeasible} of {len(facts.plain)} scored episodes"]
    tables = []
    if summary.reasons:
        rows = [
            [cell(why(reason)), str(reason["episodes"]), f"{100 * reason['episodes'] / infeasible:.1f}"]
            for reason in summary.reasons
        ]
        caption = "why plans failed; an episode may have several reasons"
        tables.append(Table(["reason", "episodes", "% of the infeasible"], rows, caption=caption))
    if summary.failures:
        rows = [[cell(f["cause"]), str(f["count"]), cell(f["message"], 200)] for f in summary.failures]
        tables.append(Table(["cause", "episodes", "said most often"], rows, caption="episodes that failed, unscored"))
    missing = [
        [cell(label), cell(reason["reason"], 200), str(reason["count"])]
        for label, judge in summary.judges.items()
        for reason in judge["unscored_reasons"][:5]
    ]
    if missing:
        caption = "ratings that are unscored, in no mean"
        tables.append(Table(["judge", "reason", "ratings"], missing, labels=2, caption=caption))
    if not lines and not tables:
        lines = ["no episode failed and no rating is missing"]
    chart = Bars([(cell(why(r)), r["episodes"]) for r in summary.reasons[:MOST]], "episodes")
    return Section("failures", lines, tables, chart if summary.reasons else None)
