"""`adidem export`: a stored run in the layouts that other people's tools read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adidem.core.cli.options import with_setup
from adidem.core.errors import UnknownName
from adidem.core.writing import must_be_new

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from adidem.core.contracts import Family
    from adidem.core.runs.store import RunStore
    from adidem.core.setup import Setup

app = typer.Typer(rich_markup_mode=None)

FORMATS = ("episodes", "sotopia", "chat", "parquet", "hf")
LINES = ("episodes", "sotopia")
PLACES = {"chat": "chat", "parquet": "episodes.parquet", "hf": "hf"}
"""Where the others are written to in the run's folder; those of LINES go to standard output."""

FOLDERS = ("chat", "hf")

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE|DIR",
        help="Write there. [default: standard output; chat, parquet, hf: in the run's folder]",
    ),
]
By = Annotated[
    str, typer.Option("--by", metavar="SCORE", help="chat: in what the two of a pair differ, such as multiwoz.success.")
]


@app.command()
@with_setup
def export(
    setup: Setup,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    format: Annotated[str, typer.Option("--format", metavar="F", help="episodes, sotopia, chat, parquet or hf.")],
    out: Out = None,
    by: By = "verified_success",
) -> None:
    """Write the episodes of a run as JSON lines, SOTOPIA's layout, chat messages, Parquet or a data set's folder."""
    from adidem.core.report.facts import begun
    from adidem.core.runs.store import RunStore

    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    path = out if format in LINES else out or run / PLACES[format]
    if path is not None:
        must_be_new(path, folder=format in FOLDERS)
    with RunStore(run) as store:
        begun(store)
        if format in LINES:
            _lines(_line_format(format, store, setup), out)
            _warn(format, store)
            return
        assert path is not None
        if format == "chat":
            _chat(store, _families(store, setup), path, by)
        elif format == "parquet":
            from adidem.core.export.parquet import write_parquet

            _told(path, (write_parquet(store, path), "episode"))
        else:
            from adidem.core.export.hf import write_folder

            _told(path, (write_folder(store, path), "episode"))


def _line_format(format: str, store: RunStore, setup: Setup) -> Iterator[bytes]:
    if format == "episodes":
        from adidem.core.export import episodes

        return episodes.lines(store)
    from adidem.core.export import sotopia

    return sotopia.lines(store, setup.components.families)


def _warn(format: str, store: RunStore) -> None:
    """Say of SOTOPIA's layout what its own reader cannot take."""
    from adidem.core.export import sotopia
    from adidem.core.report.text import many

    count = sotopia.unrated(store) if format == "sotopia" else 0
    if count:
        typer.echo(
            f"adidem: {many(count, 'episode')} without an overall score of the judge sotopia: the `rewards` are "
            "empty, at which SOTOPIA's own reader stops (adidem judge RUN --judge SPEC rates a stored run)",
            err=True,
        )


def _lines(lines: Iterator[bytes], out: Path | None) -> None:
    if out is not None:
        from adidem.core.export.files import write_lines

        _told(out, (write_lines(out, lines), "episode"))
        return
    for line in lines:
        typer.echo(line.decode())


def _families(store: RunStore, setup: Setup) -> Mapping[str, Family]:
    """The run's families. Raises UnknownName where its plugin is not given."""
    names = {scenario.family for scenario in store.played().values()}
    return {name: setup.components.get("family", name) for name in sorted(names)}


def _chat(store: RunStore, families: Mapping[str, Family], folder: Path, by: str) -> None:
    from adidem.core.export import chat
    from adidem.core.export.files import write_lines

    chat.must_score(store, by)
    pairs = write_lines(folder / "preferences.jsonl", chat.preferences(store, families, by))
    told = write_lines(folder / "sft.jsonl", chat.sft(store, families))
    _told(folder, (told, "conversation"), (pairs, "preference pair"))


def _told(path: Path, *counts: tuple[int, str]) -> None:
    from adidem.core.report.text import many, spelled

    typer.echo(f"{spelled(path)}: {', '.join(many(*each) for each in counts)}", err=True)
