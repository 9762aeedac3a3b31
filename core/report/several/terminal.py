"""Several runs on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adidem.core.report.facts import Facts
from adidem.core.report.grouping import HEADLINES
from adidem.core.report.section import Table
from adidem.core.report.sections.all import words
from adidem.core.report.several.leaderboard import in_order
from adidem.core.report.several.parts import parts_of_all
from adidem.core.report.several.read import headings, read_all
from adidem.core.report.text import cell
from adidem.core.report.wording import TITLES, short
from adidem.core.runs.store import RunStore

if TYPE_CHECKING:
    from rich.console import RenderableType


WIDE = 7
"""Columns of a table that most terminals have room for."""


def as_tables(stores: Sequence[RunStore], compare: bool) -> list[RenderableType]:
    """The leaderboard, and the pairs where they are asked for."""
    from rich.text import Text

    runs = read_all(stores)
    parts: list[RenderableType] = [Text(line) for line in headings(runs)]
    for section in parts_of_all(runs, stores, compare):
        parts.append(Text(words()[section.name]["title"], style="bold"))
        tables = [_board(runs), *section.tables[1:]] if section.name == "leaderboard" else section.tables
        parts += [drawn(table) for table in tables]
        parts += [Text(line) for line in section.lines]
    parts.append(Text("in brackets: 95 % intervals, bootstrap clustered by scenario"))
    return parts


def _board(runs: Sequence[Facts]) -> Table:
    """The leaderboard as narrow as it can be."""
    rows = [
        [
            f"{facts.name} ({cell(facts.summary.agent)})",
            str(facts.summary.episodes["scored"]),
            *(short(facts.summary.metrics[name]) for name in HEADLINES),
        ]
        for facts in in_order(runs)
    ]
    return Table(["run (agent), per cent", "n", *(TITLES[name].replace(" ", "\n") for name in HEADLINES)], rows)


def drawn(table: Table, wide: int = WIDE) -> RenderableType:
    """A table for a terminal: nothing in it is markup, and no figure is cut. One that is wider than most terminals
    stands on end, a row a figure."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Drawn
    from rich.text import Text

    if len(table.head) > wide:
        table = stood_up(table)
    made = Drawn(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1), caption_justify="left")
    for place, title in enumerate(table.head):
        label = place < table.labels
        made.add_column(Text(title), justify="left" if label else "right", no_wrap=not label, overflow="fold")
    for row in table.rows:
        made.add_row(*map(Text, row))
    return made


def stood_up(table: Table) -> Table:
    """The same table with its columns as rows, one group a row of it."""
    rows = []
    for row in table.rows:
        name = ", ".join(text for text in row[: table.labels] if text)
        rows.append([name, ""])
        rows += [
            [f"  {title}", text]
            for title, text in zip(table.head[table.labels :], row[table.labels :], strict=True)
            if text
        ]
    return Table(["", ""], rows, caption=table.caption)
