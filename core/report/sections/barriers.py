"""What barriers do: Verified Success by barrier and family, by severity, every measure against none, and compliance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adidem.core.analysis.bootstrap import Estimate
from adidem.core.registry.config import DEFAULT_SEVERITY
from adidem.core.report.barriers import NONE
from adidem.core.report.charts import Intervals
from adidem.core.report.facts import Facts
from adidem.core.report.ratings import judged_only
from adidem.core.report.rows import barrier_rows, compliance_rows, recognised_rows
from adidem.core.report.section import Section, Table
from adidem.core.report.sections.headline import SHARES, mark
from adidem.core.report.summary import Summary
from adidem.core.report.text import cell
from adidem.core.report.wording import fingerprint_lines, heard_lines, percent

EFFECTS = ("condition", "measure", "none", "under", "difference", "relative")
RECOGNISED = ("condition", "after the listener's turn", "right %", "answers", "no answer", "by chance %")
QUOTAS = ("condition", "quota per turn", "asked", "observed", "episodes outside")


def barriers(facts: Facts) -> Section | None:
    """The part on barriers; None of a run without any."""
    summary = facts.summary
    conditions = [NONE, *sorted(summary.by_barrier.keys() - {NONE})]
    conditions = [name for name in conditions if name in summary.by_barrier]
    if conditions == [NONE] or not conditions:
        return None
    tables = [] if judged_only(summary) else [by_family(summary, conditions), by_severity(summary)]
    if summary.barriers is not None:
        rows = [[cell(text) for text in row] for row in barrier_rows(summary.barriers)]
        caption = "every measure under each condition against none, paired on the same tasks"
        tables.append(Table(EFFECTS, rows, labels=2, caption=caption))
    if summary.compliance is not None:
        rows = [[cell(text) for text in row] for row in compliance_rows(summary)]
        tables.append(Table(QUOTAS, rows, labels=2, caption="whether barrier agents talked as they were told"))
    if summary.detection:
        rows = [[cell(text) for text in row] for row in recognised_rows(summary)]
        tables.append(Table(RECOGNISED, rows, labels=2, caption="which barrier the listener believed at work"))
    lines = [cell(line, 400) for line in (*fingerprint_lines(summary), *heard_lines(summary))]
    chart = None if judged_only(summary) else _chart(summary, conditions)
    return Section("barriers", lines, tables, chart)


def by_family(summary: Summary, conditions: Sequence[str]) -> Table:
    """Verified Success: a family a row, a condition a column, all families last."""
    families = sorted({family for found in summary.by_barrier_family.values() for family in found})
    rows = [
        [cell(family), *(_verified(summary.by_barrier_family[name].get(family)) for name in conditions)]
        for family in families
    ]
    rows.append(["all", *(_verified(summary.by_barrier[name]) for name in conditions)])
    return Table(["family", *map(cell, conditions)], rows, caption="Verified Success %, by barrier and family")


def by_severity(summary: Summary) -> Table:
    """Verified Success: a barrier, or several at once, a row; a severity a column."""
    found: dict[str, dict[str, str]] = {}
    for condition, estimates in summary.by_barrier.items():
        barrier, severity = named(condition)
        found.setdefault(barrier, {})[severity] = _verified(estimates)
    severities = sorted({severity for row in found.values() for severity in row})
    rows = [
        [cell(barrier), *(found[barrier].get(s, "") for s in severities)]
        for barrier in sorted(found, key=lambda name: (name != NONE, name))
    ]
    head = ["barrier", *(f"severity {cell(s)}" if s else "no barrier" for s in severities)]
    return Table(head, rows, caption="Verified Success %, by barrier and severity")


def named(condition: str) -> tuple[str, str]:
    """The barrier and the severity of a condition: of `a:0.5+b` they are `a+b` and `0.5+0.7`, for a barrier without a
    severity is played at the usual one; none has no severity."""
    if condition == NONE:
        return NONE, ""
    parts = [part.partition(":") for part in condition.split("+")]
    return "+".join(name for name, _, _ in parts), "+".join(said or f"{DEFAULT_SEVERITY:g}" for _, _, said in parts)


def _verified(estimates: Mapping[str, Estimate] | None) -> str:
    return "" if estimates is None else percent(estimates["verified_success"])


def _chart(summary: Summary, conditions: Sequence[str]) -> Intervals | None:
    families = sorted({family for found in summary.by_barrier_family.values() for family in found})
    rows = []
    for family in families:
        marks = [
            mark(cell(name), found["verified_success"])
            for name in conditions
            if (found := summary.by_barrier_family[name].get(family)) is not None
        ]
        rows.append((cell(family), [one for one in marks if one is not None]))
    kept = [row for row in rows if row[1]]
    return Intervals(kept, f"Verified Success, {SHARES[0]}", SHARES[1]) if kept else None
