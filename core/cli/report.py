"""`adidem report`: the results of stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adidem.core.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from adidem.core.runs.store import RunStore

app = typer.Typer(rich_markup_mode=None)

FORMATS = ("table", "md", "csv", "json", "html")

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write there. [default: standard output; html: report.html in the run, of several in the folder that "
        "holds them all]",
    ),
]


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    compare: Annotated[bool, typer.Option("--compare", help="Pair the runs on the tasks that they share.")] = False,
    format: Annotated[str, typer.Option("--format", metavar="F", help="table, md, csv, json or html.")] = "table",
    summary: Annotated[
        bool, typer.Option("--summary", help="With --format csv: the table of groups, not the episodes.")
    ] = False,
    out: Out = None,
) -> None:
    """Show Feasibility, Integrity and Verified Success of a run, overall and by group, or of several runs together."""
    from adidem.core.report.facts import begun
    from adidem.core.report.training import trained_only
    from adidem.core.runs.store import RunStore

    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    if summary and format != "csv":
        raise ConfigError("--summary is for --format csv: the other formats have the table of groups in them")
    if compare and len(runs) < 2:
        raise ConfigError("--compare needs two runs or more")
    if out is not None and format == "table":
        raise ConfigError("--out is for --format md, csv, json and html: tables are for the terminal")
    if compare and format == "csv":
        raise ConfigError("--compare has no csv: a csv has one row an episode; take --format json")
    _must_be_writable(runs, format, out)
    if trained_only(runs):
        _trained(runs, format, out)
        return
    stores = [RunStore(run) for run in runs]
    for store in stores:
        begun(store)
        if format in ("csv", "json"):  # the others say it in the report
            _say_what_is_missing(store)
    if format == "table":
        _show(stores, compare)
    elif format == "html":
        _page(stores, runs, compare, out)
    else:
        _text(stores, format, compare, summary, out)


def _say_what_is_missing(store: RunStore) -> None:
    from adidem.core.report.text import spelled
    from adidem.core.report.wording import without_configuration

    for line in without_configuration(store.get("config") is not None):
        typer.echo(f"adidem: {spelled(store.folder)}: {line}", err=True)


def _must_be_writable(runs: Sequence[Path], format: str, out: Path | None) -> None:
    """Raises ConfigError where a report would be made and could not be drawn or written."""
    from adidem.core.analysis.extra import must_be_here
    from adidem.core.report.files import default_path
    from adidem.core.writing import must_be_writable

    if format == "html":
        must_be_here("matplotlib")
    if out is not None:
        must_be_writable(out, parents=False)
    elif format == "html" and all(run.is_dir() for run in runs):
        must_be_writable(default_path(runs))


def _trained(runs: Sequence[Path], format: str, out: Path | None) -> None:
    from adidem.core.report import training
    from adidem.core.report.files import default_path, write
    from adidem.core.report.text import spelled

    if format == "html":
        path = out or default_path(runs)
        write(path, training.as_page(runs))
        typer.echo(spelled(path))
    elif format == "table":
        from adidem.core.report.screen import show

        show(*training.as_tables(runs))
    else:
        _written(training.as_text(runs, format), out)


def _show(stores: Sequence[RunStore], compare: bool) -> None:
    from adidem.core.report.screen import show
    from adidem.core.report.summary import summarize
    from adidem.core.report.tables import as_table

    if len(stores) == 1:
        show(*as_table(summarize(stores[0])))
    else:
        from adidem.core.report.several.terminal import as_tables

        show(*as_tables(stores, compare))


def _page(stores: Sequence[RunStore], runs: Sequence[Path], compare: bool, out: Path | None) -> None:
    from adidem.core.report.files import default_path, write
    from adidem.core.report.text import spelled

    if len(stores) == 1:
        from adidem.core.report.html.single import single

        text = single(stores[0])
    else:
        from adidem.core.report.html.several import several

        text = several(stores, compare)
    path = out or default_path(runs)
    write(path, text)
    typer.echo(spelled(path))


def _text(stores: Sequence[RunStore], format: str, compare: bool, summary: bool, out: Path | None) -> None:
    from adidem.core.report import exports

    if format == "csv":
        chunks = exports.groups_csv(stores) if summary else exports.episodes_csv(stores)
    elif format == "json":
        chunks = iter([exports.as_json(stores, compare) + "\n"])
    else:
        from adidem.core.report.markdown import as_markdown

        chunks = iter([as_markdown(stores, compare)])
    _written(chunks, out)


def _written(chunks: Iterable[str], out: Path | None) -> None:
    if out is not None:
        from adidem.core.report.files import write

        write(out, "".join(chunks))
        return
    for chunk in chunks:
        typer.echo(chunk, nl=False)
