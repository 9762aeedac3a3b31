"""`adidem judge`: rates a stored run again, without playing it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, Sets, StrictPlugins, load_setup, warn_unencrypted
from adidem.core.errors import ConfigError

app = typer.Typer(rich_markup_mode=None)

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
    """Rate stored episodes again. What a judge has rated it does not rate twice: an interrupted call goes on."""
    from adidem.core.cli.run import show
    from adidem.core.runs.rejudge import open_run, prepare_rating, rate

    if not specs:
        raise ConfigError("give at least one --judge SPEC: a model, scripted:judge, or the name of a judge")
    setup = load_setup(registry, plugin, sets, strict_plugins)
    with open_run(run, write=False) as store:
        rating = prepare_rating(setup, store, specs, only or ())
    warn_unencrypted(rating.sources.gateway)
    with open_run(run, write=True) as store:
        rate(rating, store, concurrency)
    labels = ", ".join(seat.label for seat in rating.seats)
    told = (
        f"{len(rating.owed)} episodes rated by {labels}" if rating.owed else f"nothing was owed: {labels} rated it all"
    )
    typer.echo(f"adidem: {told}", err=True)
    show(run, as_json=as_json)
