"""A part of a report in no format yet: a title, lines, tables, and a chart whose numbers are in the tables."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from adidem.core.report.charts import Chart


@frozen(unsafe_hash=False)
class Table:
    """Rows of text under a head; the first `labels` columns are words, the others figures. `caption` may be empty."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1
    caption: str = ""


@frozen(unsafe_hash=False)
class Section:
    """One part. `name` is its anchor, and that of its explanation in `sections/words.yaml`; `text` is longer text in
    fixed letters (a configuration)."""

    name: str
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    chart: Chart | None = None
    text: str = ""


BROAD = 14
"""Columns of a table that a sheet of paper has room for."""


def blocks(table: Table, most: int = BROAD) -> list[Table]:
    """A table as several, one below the other, where it has too many figures for a sheet of paper: each begins with its
    labels, and its caption says which it is."""
    figures = range(table.labels, len(table.head))
    if len(table.head) <= most:
        return [table]
    number = -(-len(figures) // (most - table.labels))
    size = -(-len(figures) // number)
    found = []
    for place in range(number):
        kept = [*range(table.labels), *figures[place * size : (place + 1) * size]]
        rows = [[row[at] for at in kept] for row in table.rows]
        caption = f"{table.caption} ({place + 1} of {number})".strip()
        found.append(evolve(table, head=[table.head[at] for at in kept], rows=rows, caption=caption))
    return found
