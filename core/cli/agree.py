"""`adidem agree`: how far judges, and people, agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adidem.core.errors import ConfigError, UnknownName

if TYPE_CHECKING:
    from adidem.core.annotation.sources import Source
    from adidem.core.report.agreement import Compared

app = typer.Typer(rich_markup_mode=None)

FORMATS = ("table", "md", "json")
BARRIER = "barrier"


@app.command()
def agree(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE SOURCE...", help="RUN:judge[@spec].dimension, or a file of annotations."),
    ],
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="Of finished sheets that were not imported.")
    ] = None,
    format: Annotated[str, typer.Option("--format", metavar="F", help="table, md or json.")] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
) -> None:
    """Show how far judges and people agree: raw agreement with prevalence, κ, α, r, ICC, and barriers told apart.

    A stored rating is named as in a report (`RUN:integrity.integrity`, `RUN:integrity@SPEC.integrity`,
    `RUN:sotopia.goal.partner`); `RUN:JUDGE.VIOLATION` is whether that judge flagged a violation. A file is what
    `adidem annotate --import` wrote, a finished sheet, or any CSV or JSONL with task, barrier, repeat, annotator,
    question and answer. Ratings are matched by task, barrier and repeat.
    """
    from adidem.core.annotation.finished import SheetProblems

    shown = "json" if as_json else format
    if shown not in FORMATS:
        raise UnknownName("format", shown, FORMATS)
    try:
        compared = compare(sources, key)
    except SheetProblems as error:
        from adidem.core.cli.annotate import refuse

        refuse(error)
    _show(compared, shown)


def compare(texts: Sequence[str], key: Path | None) -> Compared:
    """Everything there is to say of these sources. Raises ConfigError where there is nothing to compare."""
    from adidem.core.analysis.agreement import agreement, identification
    from adidem.core.annotation.key import read_key
    from adidem.core.annotation.sources import by_dimension, read_sources
    from adidem.core.report.agreement import Compared

    study = None if key is None else read_key(key)
    sources = [source for text in texts for source in read_sources(text, study)]
    names = [source.name for source in sources]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"{twice} is given twice")
    dimensions = {name: agreement(ratings) for name, ratings in by_dimension(sources)}
    if not dimensions:
        rated = "; ".join(f"{source.name} has {', '.join(source.ratings)}" for source in sources)
        raise ConfigError(f"no dimension is rated by two sources: {rated}")
    return Compared(
        raters=names,
        dimensions=dimensions,
        identification={s.name: identification(s.ratings[BARRIER]) for s in sources if BARRIER in s.ratings},
        unscored={source.name: source.unscored for source in sources if any(source.unscored.values())},
        notes=_notes(sources),
    )


def _notes(sources: Sequence[Source]) -> list[str]:
    runs = {source.run for source in sources if source.run is not None}
    if len(runs) < 2:
        return []
    return ["the ratings come from different runs: they are of different conversations of the same tasks"]


def _show(compared: Compared, format: str) -> None:
    from adidem.core.report import agreement as report

    if format == "json":
        import json

        typer.echo(json.dumps(compared.to_json(), indent=2, ensure_ascii=False, allow_nan=False))
    elif format == "md":
        typer.echo(report.as_markdown(compared), nl=False)
    else:
        from adidem.core.report.screen import show

        show(*report.as_table(compared))
