"""The headlines by family, world, both, and right outcome."""

from __future__ import annotations

from adidem.core.report.charts import Intervals
from adidem.core.report.facts import Facts
from adidem.core.report.grouping import HEADLINES
from adidem.core.report.ratings import judged_only
from adidem.core.report.rows import cells, rows_of
from adidem.core.report.section import Section, Table
from adidem.core.report.sections.headline import SHARES, mark
from adidem.core.report.text import cell
from adidem.core.report.wording import TITLES

GROUPS = {"due:": "right outcome"}
"""What a group is called where its name stands in a column of its own."""


def groups(facts: Facts) -> Section | None:
    """One table of all groups; the chart shows Verified Success of each family in both worlds. None of a run without
    groups: one family whose scenarios have one world."""
    summary = facts.summary
    if judged_only(summary) or len(summary.by_world) == len(summary.by_family) == 1:
        return None
    head = ["group", "name", "episodes", *(f"{TITLES[name]} %" for name in HEADLINES)]
    rows = [[GROUPS.get(title, title), *map(cell, row)] for title, *row in rows_of(summary)]
    for family, worlds in summary.by_family_world.items() if len(summary.by_world) > 1 else ():
        rows += [["family, world", f"{cell(family)}, {cell(name)}", *cells(found)] for name, found in worlds.items()]
    shown = []
    for family, worlds in summary.by_family_world.items():
        marks = [mark(f"world {name}", found["verified_success"]) for name, found in worlds.items()]
        shown.append((cell(family), [one for one in marks if one is not None]))
    chart = Intervals([row for row in shown if row[1]], f"Verified Success, {SHARES[0]}", SHARES[1])
    return Section("groups", tables=[Table(head, rows, labels=2)], chart=chart if chart.rows else None)
