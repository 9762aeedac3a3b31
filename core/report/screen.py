"""Reports on standard output: no figure is ever cut off, and an output that is closed is no error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

PLAIN_WIDTH = 100
"""Columns where standard output is no terminal and COLUMNS is not set."""

NARROWEST = 12
"""Columns that a table's labels are left with where its figures need the rest."""


def show(*parts: RenderableType) -> None:
    """Print parts one below the other. A column that must not wrap is as wide as its widest cell; where the terminal is
    narrower than that, the table is wider than the terminal."""
    from rich.console import Console
    from rich.table import Table

    width = _width()
    for part in parts:
        needed = _held(part) if isinstance(part, Table) else 0
        console = Console(width=width)
        console.width = max(console.width, needed)
        with console.capture() as captured:
            console.print(part)
        typer.echo(captured.get(), nl=False)


def columns() -> int:
    """How many columns there are to print in."""
    from rich.console import Console

    return _width() or Console().width


def _width() -> int | None:
    """Columns to print in; None is the terminal's."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    return None if sys.stdout.isatty() else PLAIN_WIDTH


def _held(table: Table) -> int:
    """Makes every column that must not wrap as wide as its cells, and gives the least width of the whole."""
    from rich.text import Text

    total = 0
    for column in table.columns:
        if not column.no_wrap:
            total += max(column.min_width or 0, NARROWEST)
            continue
        cells: Iterable[RenderableType] = [column.header, *column.cells]
        texts = [cell if isinstance(cell, Text) else Text.from_markup(str(cell)) for cell in cells]
        column.min_width = max((line.cell_len for text in texts for line in text.split() or [text]), default=1)
        total += column.min_width
    return total + 2 * len(table.columns) + 2


@contextmanager
def tolerant() -> Iterator[None]:
    """Whoever reads standard output may stop reading: what is left to print is dropped."""
    try:
        yield
    except BrokenPipeError:
        drop()


def drop() -> None:
    """Send what is still buffered, and all that follows, to nowhere."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
