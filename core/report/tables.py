"""A report as tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adidem.core.report.grouping import HEADLINES
from adidem.core.report.ratings import baseline_rows, judged_only, meanings, rating_rows, recorded
from adidem.core.report.rows import barrier_rows, compliance_rows, rows_of
from adidem.core.report.summary import Summary
from adidem.core.report.text import cell
from adidem.core.report.wording import TITLES, ending, heading, short

if TYPE_CHECKING:
    from rich.console import RenderableType

    from adidem.core.report.barriers import BarrierReport


def as_table(summary: Summary) -> list[RenderableType]:
    """The report for a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    table.add_column("per cent", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for name in HEADLINES:
        table.add_column(TITLES[name].replace(" ", "\n"), justify="right", no_wrap=True)
    before = ""
    for title, name, *cells in rows_of(summary, short):
        if title != before and before:
            table.add_section()
        shown = name if title in ("", "family") else " ".join(part for part in (title, name) if part)
        table.add_row(*(safe(cell) for cell in (shown, *cells)))
        before = title
    head = Text(cell(f"{summary.suite}: {summary.agent} with {summary.partner}", 300), style="bold")
    note = "in brackets: 95 % intervals, bootstrap clustered by scenario"
    tables: list[RenderableType] = [] if judged_only(summary) else [table]
    tables += [_ratings_table(summary)] if rating_rows(summary) else []
    tables += [_baseline_table(summary)] if summary.baselines else []
    tables += [_barrier_table(summary.barriers)] if summary.barriers is not None else []
    tables += [_compliance_table(summary)] if summary.compliance is not None else []
    said = meanings(summary)
    tables += [Text("what the ratings mean"), _legend(said), ""] if said else []
    about = [safe(f"{name}: {text}", LINE) for name, text in recorded(summary)]
    return [
        head,
        *about,
        *(safe(line, LINE) for line in heading(summary)),
        *tables,
        note,
        *(safe(line, LINE) for line in ending(summary)),
    ]


def _ratings_table(summary: Summary) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    table.add_column("rating", overflow="fold")
    table.add_column("agent or episode", justify="right", no_wrap=True)
    table.add_column("partner", justify="right", no_wrap=True)
    for row in rating_rows(summary):
        table.add_row(*(safe(cell) for cell in row))
    return table


def _baseline_table(summary: Summary) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    table.add_column("baseline: others on the same tasks", overflow="fold")
    table.add_column("mean", justify="right", no_wrap=True)
    for row in baseline_rows(summary):
        table.add_row(*(safe(cell) for cell in row))
    return table


def _legend(said: Sequence[tuple[str, str]]) -> RenderableType:
    """What names in the tables mean, a row each."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in said:
        table.add_row(safe(name), safe(text, LINE))
    return table


def _barrier_table(report: BarrierReport) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    table.add_column("against none, same tasks", overflow="fold")
    for title in ("none", "under", "relative change"):
        table.add_column(title, justify="right", no_wrap=True)
    before = ""
    for condition, *cells in barrier_rows(report):
        if condition != before:
            table.add_section()
            table.add_row(f"[bold]{safe(condition)}[/bold]", "", "", "")
        measure, without, under, _, relative = cells
        table.add_row(*(safe(cell) for cell in (measure, without, under, relative)))
        before = condition
    return table


def _compliance_table(summary: Summary) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, padding=(0, 1))
    for title in ("quota per turn", "asked", "observed", "outside"):
        label = title.startswith("quota")
        table.add_column(title, justify="left" if label else "right", no_wrap=not label, overflow="fold")
    before = ""
    for condition, *cells in compliance_rows(summary):
        if condition != before:
            table.add_section()
            table.add_row(f"[bold]{safe(condition)}[/bold]", "", "", "")
        table.add_row(*(safe(cell) for cell in cells))
        before = condition
    return table


LINE = 1000
"""The longest line under the tables, in characters."""


def safe(text: str, longest: int = 120) -> str:
    """Text of a store as rich markup that is only ever text: no markup, no control character, of bounded length."""
    from rich.markup import escape

    return escape(cell(text, longest))
