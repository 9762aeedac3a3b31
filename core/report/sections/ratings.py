"""What judges rated: means, distributions, and how far judges disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from adidem.core.report.charts import Histograms
from adidem.core.report.facts import APART, Facts
from adidem.core.report.grouping import rating_name
from adidem.core.report.ratings import BASELINE, MEANS, baseline_rows, meanings, rating_rows
from adidem.core.report.section import Section, Table
from adidem.core.report.text import cell
from adidem.core.report.wording import decides_line

PANELS = 18
"""As many distributions are drawn; all are in the table."""

SHOWN = 24
"""As many scores of one rating stand in the table; a mean of several has very many."""


def ratings(facts: Facts) -> Section:
    """The part on ratings."""
    rows = [[cell(text) for text in row] for row in rating_rows(facts.summary)]
    if not facts.ratings:
        return Section("ratings", ["nobody rated anything"])
    tables = [Table(["rating", "agent or episode", "partner"], rows, caption=MEANS)] if rows else []
    others = [[cell(text) for text in row] for row in baseline_rows(facts.summary)]
    tables += [Table(["baseline", "mean"], others, caption=BASELINE)] if others else []
    said = [[cell(name), cell(text, 300)] for name, text in meanings(facts.summary)]
    tables += [Table(["rating", "what it means"], said, labels=2, caption="what the ratings mean")] if said else []
    counts: dict[str, Counter[float]] = {}
    for row in facts.plain_ratings:
        if row["score"] is not None and rating_name(row) not in facts.summary.baselines:
            counts.setdefault(rating_name(row), Counter())[row["score"]] += row["count"]
    spread = [[cell(name), _spread(counts[name]), str(counts[name].total())] for name in sorted(counts)]
    if spread:
        tables.append(Table(["rating", "score × how often", "n"], spread, labels=2, caption="distributions"))
    tables += [table for table in (_disagreement(facts), _apart(facts), _judges(facts)) if table.rows]
    wide = [name for name in sorted(counts) if len(counts[name]) > 1][:PANELS]
    chart = Histograms([(cell(name), sorted(counts[name].items())) for name in wide], "score") if wide else None
    return Section("ratings", decides_line(facts.summary), tables, chart)


def _spread(counts: Counter[float]) -> str:
    shown = [f"{score:g} × {count}" for score, count in sorted(counts.items())]
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return ", ".join(shown[:SHOWN]) + more


def _disagreement(facts: Facts) -> Table:
    rows = [
        [
            cell(pair["dimension"]),
            cell(" and ".join(pair["judges"])),
            f"{pair['differ']} of {pair['episodes']}",
            f"{100 * pair['differ'] / pair['episodes']:.1f}" if pair["episodes"] else "",
        ]
        for pair in facts.alike
    ]
    return Table(["dimension", "judges", "differ on", "%"], rows, labels=2, caption="where two judges rated the same")


def _apart(facts: Facts) -> Table:
    """Which conversations judges of Integrity see differently: the ones to read."""
    rows = [
        [
            cell(row["task"]),
            cell(row["barrier"]),
            str(row["repeat"]),
            *(f"{cell(label)}: {'pass' if score >= 1 else 'fail'}" for label, score in _verdicts(row)),
        ]
        for row in facts.apart
    ]
    caption = f"where judges of Integrity differ (the first {APART} of two judges)"
    return Table(["task", "condition", "repeat", "one", "the other"], rows, labels=5, caption=caption)


def _verdicts(row: Mapping[str, Any]) -> list[tuple[str, float]]:
    return list(zip(row["judges"], (row["one"], row["two"]), strict=True))


def _judges(facts: Facts) -> Table:
    rows = []
    for label, judge in facts.summary.judges.items():
        flagged = [f"{cell(kind)} × {count}" for kind, count in judge["flags"].items()]
        flagged += [f"{count} quotes for {cell(kind)}" for kind, count in judge["evidence"].items()]
        wrong = judge["unsupported_rate"]
        missing = f"{judge['unscored']} of {judge['ratings']}"
        rows.append(
            [
                cell(label),
                cell(judge["spec"] or "rules"),
                missing,
                ", ".join(flagged),
                f"{100 * wrong:.0f}" if wrong else "",
            ]
        )
    head = ["judge", "asks", "unscored", "flagged", "% of flags that quote what was not said"]
    return Table(head, rows, labels=2, caption="judges")
