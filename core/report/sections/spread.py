"""How much the repeats of a run vary."""

from __future__ import annotations

from statistics import stdev

from adidem.core.report.charts import Intervals
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import HEADLINES, Row, headlines
from adidem.core.report.section import Section, Table
from adidem.core.report.sections.headline import SHARES, mark
from adidem.core.report.wording import TITLES, percent


def spread(facts: Facts) -> Section:
    """Each repeat's headlines, their standard deviation, and how many tasks come out differently."""
    repeats: dict[int, list[Row]] = {}
    for row in facts.plain:
        repeats.setdefault(row["repeat"], []).append(row)
    if len(repeats) < 2:
        return Section("spread", ["each task was played once: `--repeats K` shows how much repeats vary"])
    found = {number: headlines(rows) for number, rows in sorted(repeats.items())}
    rows = [
        [str(number), str(len(repeats[number])), *(percent(e[name]) for name in HEADLINES)]
        for number, e in found.items()
    ]
    values = {name: [e[name].value for e in found.values()] for name in HEADLINES}
    deviations = [_deviation([v for v in values[name] if v is not None]) for name in HEADLINES]
    rows.append(["standard deviation", "", *deviations])
    head = ["repeat", "episodes", *(f"{TITLES[name]} %" for name in HEADLINES)]
    marks = [(f"repeat {n}", [m for m in [mark("", e["verified_success"])] if m]) for n, e in found.items()]
    chart = Intervals([row for row in marks if row[1]], f"Verified Success, {SHARES[0]}", SHARES[1])
    return Section("spread", [_changing(facts.plain)], [Table(head, rows)], chart if chart.rows else None)


def _deviation(values: list[float]) -> str:
    return f"{100 * stdev(values):.1f}" if len(values) > 1 else ""


def _changing(rows: list[Row]) -> str:
    tasks: dict[str, list[bool]] = {}
    for row in rows:
        if row["verified_success"] is not None:
            tasks.setdefault(row["task"], []).append(bool(row["verified_success"]))
    several = [values for values in tasks.values() if len(values) > 1]
    changing = sum(len(set(values)) > 1 for values in several)
    return f"tasks whose Verified Success is not the same in all repeats: {changing} of {len(several)}"
