"""`adidem states`: where in a model that reads a run's conversations a barrier can be told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adidem.core.cli.options import with_setup

if TYPE_CHECKING:
    from adidem.core.analysis.states import Heard, States
    from adidem.core.analysis.states_probe import Probe
    from adidem.core.runs.store import RunStore
    from adidem.core.setup import Setup

app = typer.Typer(rich_markup_mode=None)

FOLDER, ARRAYS, FIGURES = "states", "states.npz", "states.json"


@app.command()
@with_setup
def states(
    setup: Setup,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run with barriers.")],
    model: Annotated[
        str, typer.Option("--model", metavar="SPEC", help="hf:smollm2, or hf:PATH of a model that chats.")
    ],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="[default: states in the run]")] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, help="Episodes of each condition, at most: of different scenarios first. [default: all]"
        ),
    ] = None,
    shuffles: Annotated[int, typer.Option("--shuffles", min=0, max=1000, help="Of the labels, for the baseline.")] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The figures as JSON; no table.")] = False,
) -> None:
    """Read hidden states at the end of the barrier agent's prompt and at the partner's turns; plot and probe them."""
    from adidem.core.analysis.extra import library
    from adidem.core.analysis.states import SITES, collect, load_model
    from adidem.core.analysis.states_episodes import chosen, must_be_told, readable
    from adidem.core.analysis.states_probe import probes
    from adidem.core.runs.store import KEY, RunStore
    from adidem.core.writing import must_be_new

    for name in ("sklearn", "matplotlib"):
        library(name)
    folder = out or run / FOLDER
    must_be_new(folder, folder=True)
    with RunStore(run) as store:
        rows = readable(store.rows())
        must_be_told(rows, limit)
        episodes = (store.episode(*(row[name] for name in KEY)) for row in chosen(rows, limit))
        found = collect(episodes, _heard(store, setup), load_model(model))
    figures = {site: probes(found, site, shuffles=shuffles, seed=seed) for site in SITES}
    data = _write(folder, found, figures, model, seed)
    if as_json:
        import orjson

        typer.echo(orjson.dumps(data).decode())
        return
    _show(data, folder)


def _heard(store: RunStore, setup: Setup) -> Heard:
    from adidem.core.analysis.states import Heard
    from adidem.core.domain.speech import combined
    from adidem.core.registry.config import parse_condition
    from adidem.core.runs.agents import directives

    config = store.get("config", {})
    told: dict[str, Any] = {"none": None}
    for condition in config.get("barriers", ()):
        if condition != "none":
            parts = [(setup.components.get("barrier", name), at) for name, at in parse_condition(condition)]
            told[condition] = combined(directives(parts))
    scenarios = {scenario.id: scenario for scenario in store.scenarios()}
    families = {name: setup.components.get("family", name) for name in {s.family for s in scenarios.values()}}
    return Heard(scenarios, families, told, config.get("barrier_on", "partner"))


def _write(folder: Path, found: States, figures: dict[str, list[Probe]], model: str, seed: int) -> dict[str, Any]:
    import attrs
    import numpy as np
    import orjson

    from adidem.core.analysis.states_plot import TITLES, draw
    from adidem.core.writing import whole_folder, write_whole

    data = {
        "model": model,
        "layers": list(found.layers),
        "skipped": found.skipped,
        "probes": [attrs.asdict(probe) for probes in figures.values() for probe in probes],
    }
    columns: dict[str, Any] = {name: np.array([getattr(point, name) for point in found.points]) for name in _POINT}
    with whole_folder(folder) as part:
        np.savez_compressed(part / ARRAYS, values=found.values, layers=np.array(found.layers), **columns)
        write_whole(part / FIGURES, orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n")
        for site, probes in figures.items():
            for method in TITLES:
                if probes[0].points:
                    draw(found, site, method, probes, part / f"{site}_{method}.png", seed)
    return data


_POINT = ("site", "scenario", "episode", "barrier", "turn")


def _show(data: dict[str, Any], folder: Path) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from adidem.core.report.screen import show

    titles = ("site", "layer", "points", "silhouette", "accuracy", "shuffled", "p", "majority")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="left" if title == "site" else "right")
    for probe in data["probes"]:
        table.add_row(*(_text(probe[title]) for title in titles))
    show(table)
    for why in sorted({probe["why"] for probe in data["probes"] if probe["why"]}):
        typer.echo(f"adidem: {why}", err=True)
    if data["skipped"]:
        typer.echo(f"adidem: {data['skipped']} states are left out: their context is too long for the model", err=True)
    typer.echo(f"plots and figures: {folder}")


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
