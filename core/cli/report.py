"""`adidem report`: the results of stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adidem.core.errors import UnknownName

app = typer.Typer(rich_markup_mode=None)

FORMATS = ("table", "md", "csv", "json")


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    format: Annotated[str, typer.Option("--format", metavar="F", help="table, md, csv or json.")] = "table",
) -> None:
    """Show Feasibility, Integrity and Verified Success of runs, overall and by family, world and right outcome."""
    from adidem.core.report import exports, markdown, tables
    from adidem.core.report.summary import summarize
    from adidem.core.runs.store import RunStore

    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    stores = [RunStore(run) for run in runs]
    if format == "csv":
        rows = [{"run": str(store.folder), **row} for store in stores for row in store.rows()]
        typer.echo(exports.as_csv(rows), nl=False)
        return
    summaries = [summarize(store) for store in stores]
    if format == "json":
        typer.echo(exports.as_json(summaries))
    elif format == "md":
        typer.echo(markdown.as_markdown(summaries), nl=False)
    else:
        from adidem.core.report.screen import show

        for summary in summaries:
            show(*tables.as_table(summary))
