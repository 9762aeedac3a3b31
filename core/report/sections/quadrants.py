"""Feasibility × Integrity: what kind of success, and of failure."""

from __future__ import annotations

from adidem.core.report.charts import Stacked
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import Row
from adidem.core.report.grouping import quadrants as counted
from adidem.core.report.ratings import integrity_judged, judged_only
from adidem.core.report.section import Section, Table
from adidem.core.report.text import cell

WORDS = {"yes": "yes", "no": "no", "unscored": "unscored"}
PARTS = {
    ("yes", "yes"): "feasible and supported",
    ("yes", "no"): "feasible, not supported",
    ("no", "yes"): "supported, infeasible",
    ("no", "no"): "neither",
}
MISSING = "a verdict is missing"


def quadrants(facts: Facts) -> Section | None:
    """The table of counts and shares, and how each family divides; None where nothing is recorded, or
    nobody judged Integrity."""
    if judged_only(facts.summary) or not integrity_judged(facts.summary):
        return None
    counts, total = facts.summary.quadrants, sum(sum(row.values()) for row in facts.summary.quadrants.values())
    used = [name for name in WORDS if name != "unscored" or any(row["unscored"] for row in counts.values())]
    rows = [
        [f"feasible: {WORDS[one]}", *(_share(counts[one][two], total) for two in used)]
        for one in WORDS
        if one != "unscored" or any(counts["unscored"].values())
    ]
    table = Table(["episodes", *(f"supported: {WORDS[name]}" for name in used)], rows)
    families: dict[str, list[Row]] = {}
    for row in facts.plain:
        families.setdefault(row["family"], []).append(row)
    bars = [(cell(name), _parts(counted(families[name]))) for name in sorted(families)]
    by_family = Table(
        ["family", *PARTS.values(), MISSING],
        [[name, *(str(parts.get(part, 0)) for part in (*PARTS.values(), MISSING))] for name, parts in bars],
        caption="episodes, by family",
    )
    chart = Stacked(bars, "per cent of the family's scored episodes (how many in brackets)") if bars else None
    return Section("quadrants", tables=[table, by_family], chart=chart)


def _share(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.1f} %)" if total else "0"


def _parts(counts: dict[str, dict[str, int]]) -> dict[str, int]:
    found = {title: counts[one][two] for (one, two), title in PARTS.items()}
    missing = sum(sum(row.values()) for row in counts.values()) - sum(found.values())
    return {**found, **({MISSING: missing} if missing else {})}
