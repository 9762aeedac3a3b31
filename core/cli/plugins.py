"""`adidem plugins`: every component with where it comes from and how it fares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, Sets, StrictPlugins
from adidem.core.components import Row
from adidem.core.kinds import KINDS, kind_named

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("kind", "name", "enabled", "origin", "distribution", "status", "error")


@app.command()
def plugins(
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="K", help=f"Only {', '.join(k.name for k in KINDS)} or plugin.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list of objects.")] = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    sets: Sets = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """List every component, where it comes from, and what is broken."""
    from adidem.core.setup import load

    wanted = kind if kind in (None, "plugin", "plugins") else kind_named(kind).name
    setup = load(registry, plugin or (), sets or (), strict=strict_plugins)
    rows = [row for row in setup.components.describe() if wanted is None or row["kind"] == wanted.removesuffix("s")]
    if as_json:
        import json

        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        typer.echo(table(rows))


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text; an error stands whole, last on its line."""
    cells = [COLUMNS, *(tuple(_cell(row[column]) for column in COLUMNS) for row in rows)]  # type: ignore[literal-required]
    widths = [max(len(line[i]) for line in cells) for i in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
