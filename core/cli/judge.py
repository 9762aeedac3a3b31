"""`adidem judge`: rates a stored run again, without playing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, Sets, StrictPlugins, load_setup, warn_unencrypted
from adidem.core.errors import ConfigError

if TYPE_CHECKING:
    from adidem.core.runs.rejudge import Rated

app = typer.Typer(rich_markup_mode=None)

INTERRUPTED = 130
UNANSWERED = 1
"""The exit code where a judge got no answer for some episodes, or none of its answers gave a score."""

Specs = Annotated[
    list[str] | None,
    typer.Option("--judge", metavar="SPEC", help="A model, scripted:judge, or a judge's name; may be repeated."),
]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="NAME", help="Of the model judges, only these; may be repeated.")
]


@app.command()
def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    specs: Specs = None,
    only: Only = None,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=4096, help="Episodes at once.")] = 16,
    as_json: Annotated[bool, typer.Option("--json", help="End with one JSON object; no table.")] = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    sets: Sets = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Rate stored episodes again.

    What a judge has rated it does not rate twice: an interrupted call goes on, and so does one that got no answer
    (the endpoint was down, the key was wrong; exit code 1). Answers that no score can be read from are unscored and
    not asked for again (exit code 1 where that is all that came).
    """
    from adidem.core.cli.run import show
    from adidem.core.report.wording import without_configuration
    from adidem.core.runs.rejudge import open_run, prepare_rating, rate

    if not specs:
        raise ConfigError("give at least one --judge SPEC: a model, scripted:judge, or the name of a judge")
    setup = load_setup(registry, plugin, sets, strict_plugins)
    with open_run(run, write=False) as store:
        rating = prepare_rating(setup, store, specs, only or ())
        configured = store.get("config") is not None
    warn_unencrypted(rating.sources.gateway)
    try:
        with open_run(run, write=True) as store, _progress(len(rating.owed), shown=not as_json) as on_rated:
            rated = rate(rating, store, concurrency, on_rated)
    except KeyboardInterrupt as error:
        typer.echo("adidem: interrupted; what is rated is kept, and the same command goes on", err=True)
        raise typer.Exit(INTERRUPTED) from error
    labels = ", ".join(seat.label for seat in rating.seats)
    told = _told(len(rating.owed), rated, labels) if rating.owed else f"nothing was owed: all was put to {labels}"
    typer.echo(f"adidem: {told}", err=True)
    if as_json:  # the table says it itself
        for line in without_configuration(configured):
            typer.echo(f"adidem: {line}", err=True)
    show(run, as_json=as_json)
    _conclude(rated)


def _told(owed: int, rated: Rated, labels: str) -> str:
    """How many episodes were answered for, and how many of the ratings have no score, and why."""
    from adidem.core.report.text import cell, many

    answered = owed - len(rated.missing)
    if not rated.unscored:
        return f"{many(answered, 'episode')} rated by {labels}"
    reason, count = Counter(rated.unscored).most_common(1)[0]
    none = len(rated.unscored) == rated.ratings
    said = f"{many(answered, 'episode')} put to {labels}" + (", none rated" if none else "")
    left = f"{len(rated.unscored)} of {many(rated.ratings, 'rating')}"
    return f"{said}: {left} unscored, most often ({count}): {cell(reason, 300)}"


@contextmanager
def _progress(owed: int, *, shown: bool) -> Iterator[Callable[[Any], None] | None]:
    if not shown or not owed:
        yield None
        return
    from adidem.core.cli.progress import bar_with

    with bar_with() as bar:
        task = bar.add_task("judge", total=owed)
        yield lambda _episode: bar.update(task, advance=1)


def _conclude(rated: Rated) -> None:
    """Says that some episodes are still owed, and why; the exit code where that is so, or nothing at all was scored."""
    if not rated.missing:
        if rated.ratings and len(rated.unscored) == rated.ratings:
            raise typer.Exit(UNANSWERED)
        return
    from adidem.core.report.text import cell, many

    reason, count = Counter(rated.missing).most_common(1)[0]
    told = f"{many(len(rated.missing), 'episode')} got no answer and stay owed; the same command asks again"
    typer.echo(f"adidem: {told}; most often ({count}): {cell(reason, 300)}", err=True)
    raise typer.Exit(UNANSWERED)
