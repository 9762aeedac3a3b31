"""The report of a training run that played nothing into a store: its learning curves and its recipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adidem.core.errors import ConfigError
from adidem.core.report.dumped import dumped
from adidem.core.report.exports import lines_of
from adidem.core.report.facts import METRICS, read_updates
from adidem.core.report.markdown import written
from adidem.core.report.screen import columns
from adidem.core.report.section import Section, Table
from adidem.core.report.sections.curves import drawn, thinned
from adidem.core.report.text import cell, passage, spelled
from adidem.core.runs.finding import is_trained

if TYPE_CHECKING:
    from rich.console import RenderableType

RECIPE = "recipe.json"
LONGEST, COLUMN = 40_000, 12
"""Letters of a recipe that are shown, and columns of a terminal that an update is given."""


def trained_only(runs: Sequence[Path]) -> bool:
    """Whether these are training runs without a store.

    Raises:
        ConfigError: some are, and others are not.
    """
    trained = [run for run in runs if is_trained(run)]
    if trained and len(trained) < len(runs):
        raise ConfigError(
            f"{trained[0]} holds a training run and no episodes: report it apart from runs that were played"
        )
    return bool(trained)


def parts(folder: Path) -> list[Section]:
    """The curves, and the recipe where it is there.

    Raises:
        ConfigError: no update is written yet.
    """
    updates, notes = read_updates(folder)
    curves = drawn(updates, notes)
    if curves is None:
        raise ConfigError(f"{folder / METRICS}: no update is written yet")
    recipe = folder / RECIPE
    if not recipe.is_file():
        return [curves]
    text = recipe.read_text(encoding="utf-8", errors="replace")
    return [curves, Section("recipe", text=passage(text, LONGEST))]


def as_page(runs: Sequence[Path]) -> str:
    """One page, a group a run."""
    from adidem.core.report.html.page import Group, page

    groups = [Group(f"run{number}", cell(run.resolve().name), parts(run)) for number, run in enumerate(runs, 1)]
    return page(f"training: {', '.join(group.title for group in groups)}", [], groups)


def as_text(runs: Sequence[Path], format: str) -> Iterator[str]:
    """Markdown; or the updates, one line each as CSV, or as JSON."""
    if format == "md":
        for run in runs:
            yield written(f"training: {cell(run.resolve().name)}", [], parts(run))
        return
    updates = {spelled(run): read_updates(run)[0] for run in runs}
    if format == "json":
        found = [{"run": run, "updates": lines} for run, lines in updates.items()]
        yield dumped(found[0] if len(found) == 1 else found) + "\n"
        return
    names = sorted({name for lines in updates.values() for line in lines for name in line})
    yield from lines_of(("run", *names), ({"run": run, **line} for run, lines in updates.items() for line in lines))


def as_tables(runs: Sequence[Path]) -> Iterator[RenderableType]:
    """The curves' tables on the terminal: a row a figure, and as many updates, evenly taken, as there is room for."""
    from rich.text import Text

    from adidem.core.report.several.terminal import drawn as on_terminal

    for run in runs:
        yield Text(f"training: {cell(run.resolve().name)}", style="bold")
        curves = parts(run)[0]
        for table in curves.tables:
            stood = across(table, columns())
            yield on_terminal(stood, wide=len(stood.head))
        yield from (Text(line) for line in curves.lines)


def across(table: Table, wide: int) -> Table:
    """A table of updates with a row a figure, in so many columns of a terminal."""
    room = (wide - max(map(len, table.head))) // COLUMN
    taken = thinned(table.rows, max(2, room))
    rows = [[name, *(row[place] for row in taken)] for place, name in enumerate(table.head)]
    return Table(rows[0], rows[1:], caption=table.caption)
