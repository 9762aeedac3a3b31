"""`adidem train`: teaches a policy by what came of its conversations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adidem.core.cli.options import PluginFiles, RegistryFile, StrictPlugins, load_setup, warn_unencrypted
from adidem.core.errors import ConfigError, TrainingError, UnknownName

if TYPE_CHECKING:
    from adidem.core.setup import Setup
    from adidem.core.training.parallel import Processes
    from adidem.core.training.prepare import Ready
    from adidem.core.training.recipe import Read
    from adidem.core.training.resume import Words
    from adidem.core.training.study.run import Source

app = typer.Typer(rich_markup_mode=None)

FAILED, INTERRUPTED = 1, 130

RecipeFile = Annotated[
    Path | None,
    typer.Option("--recipe", metavar="FILE", help="What is trained, on what and how (YAML). [with --resume: its own]"),
]
TrainerName = Annotated[
    str | None, typer.Argument(metavar="[TRAINER]", help="pacpo, ppo, grpo, …; without it, what the recipe says.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="A.B=V", help="A setting laid over the recipe (or registry); may be repeated."),
]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The run's folder. [default: runs/…]")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in --out.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="In place of the recipe's.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show shapes, memory and calls; load no model and write nothing.")
]
AsJson = Annotated[bool, typer.Option("--json", help="End with one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress.")]


@app.command()
def train(
    recipe: RecipeFile = None,
    trainer: TrainerName = None,
    sets: Sets = None,
    out: Out = None,
    resume: Resume = False,
    seed: Seed = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    registry: RegistryFile = None,
    plugin: PluginFiles = None,
    strict_plugins: StrictPlugins = False,
) -> None:
    """Train a policy: play, score, credit, update; and save it as `--agent hf:DIR/policy` plays it."""
    from adidem.core.training.recipe import laid_over, read_recipe, sets_of
    from adidem.core.training.resume import Words, recalled_sets
    from adidem.core.writing import must_be_writable

    ours, theirs = _parted(sets or [])
    if resume and out is None:
        raise ConfigError("--resume needs the run's folder: give it with --out DIR")
    if recipe is None and not resume:
        raise ConfigError("which recipe? give it with --recipe FILE")
    if not dry_run:
        must_be_writable(out or Path("runs"), folder=True)
    theirs = recalled_sets(out, theirs) if resume and out is not None else theirs
    setup = load_setup(registry, plugin, theirs, strict_plugins)
    words = Words(None if recipe is None else read_recipe(recipe), sets_of(ours), trainer, seed, tuple(theirs))
    read = None if words.recipe is None else laid_over(words.recipe.tree, words.given)
    if read is not None and read.recipe.study is not None and trainer is None:
        if seed is not None:
            raise ConfigError("--seed: a study has its own seeds; set study.seeds")
        from adidem.core.training.study.run import Source

        source = Source(registry, tuple(plugin or ()), tuple(theirs))
        if dry_run:
            _dry_study(setup, read, source, as_json=as_json)
            return
        _study(read, out or _folder("study"), source, quiet=quiet, as_json=as_json)
        return
    ready = _ready(setup, words, out if resume else None)
    warn_unencrypted(ready.sources.gateway)
    if dry_run:
        from adidem.core.training.checkpoint import made
        from adidem.core.training.estimate import estimate
        from adidem.core.training.estimate_shown import shown

        planned = sum(phase.updates for phase in ready.phases)
        found = estimate(ready, made=made(out, planned) if resume and out is not None else 0)
        typer.echo(json.dumps({"dry_run": True, **found}) if as_json else shown(found))
        return
    _must_be_here(ready)
    name = "+".join(phase.trainer.name for phase in ready.phases)
    _train(ready, out or _folder(name), resume=resume, as_json=as_json, quiet=quiet)


def _parted(sets: list[str]) -> tuple[list[str], list[str]]:
    """Settings of the recipe, and those of the registry (models and the gateway, agents, plugins' components)."""
    from attrs import fields_dict

    from adidem.core.registry import SECTIONS
    from adidem.core.registry.overrides import RUN_LEVEL
    from adidem.core.training.recipe import Recipe

    known, theirs = tuple(fields_dict(Recipe)), (*SECTIONS, *RUN_LEVEL)
    parted: tuple[list[str], list[str]] = ([], [])
    for text in sets:
        first = text.partition("=")[0].partition(".")[0].strip()
        if first not in known and first not in theirs:
            raise ConfigError(f"--set {text}: {UnknownName('setting', first, (*known, *theirs))}")
        parted[first not in known].append(text)
    return parted


def _ready(setup: Setup, words: Words, going_on: Path | None) -> Ready:
    """The run, begun or gone on with; what a person did not ask for is told."""
    from adidem.core.training.resume import begun, resumed

    if going_on is None:
        return begun(setup, words)
    ready, notes = resumed(going_on, setup, words)
    for note in notes:
        typer.echo(f"adidem: {note}", err=True)
    return ready


def _must_be_here(ready: Ready) -> None:
    from adidem.core.training.needs import must_be_here

    must_be_here(ready)


def _train(ready: Ready, folder: Path, *, resume: bool, as_json: bool, quiet: bool) -> None:
    from adidem.core.training.parallel import joined

    processes = joined()
    with _opened(ready, folder, resume=resume) if processes.first else nullcontext():
        processes.wait()
        _train_there(ready, folder, processes, resume=resume, as_json=as_json, quiet=quiet)


def _train_there(ready: Ready, folder: Path, processes: Processes, *, resume: bool, as_json: bool, quiet: bool) -> None:
    import asyncio

    from adidem.core.training import checkpoint
    from adidem.core.training.assemble import assemble
    from adidem.core.training.loop import train as run_loop
    from adidem.core.training.metrics import read
    from adidem.core.training.progress import display

    shown = not (quiet or as_json) and processes.first

    def say(what: str) -> None:
        if shown:
            typer.echo(f"adidem: {what}", err=True)

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        try:
            plan = assemble(ready, runner, say, processes)
            done = max(checkpoint.saved(folder), default=0) if resume else 0
            earlier = read(folder) if shown and resume else []
            with display(plan.updates, done, quiet=not shown, earlier=earlier) as view:
                run_loop(plan, folder, resume=resume, show=view)
        except TrainingError as error:
            made = max(checkpoint.whole(folder), default=0)
            kept = f"; {folder} holds what was trained until update {made}" if made else ""
            typer.echo(f"adidem: {' '.join(str(error).split())}{kept}", err=True)
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as error:
            typer.echo(f"adidem: interrupted; go on with --out {folder} --resume", err=True)
            raise typer.Exit(INTERRUPTED) from error
        finally:
            runner.run(ready.sources.close())
    if processes.first:
        _conclude(folder, as_json=as_json)


def _loop_factory() -> Any:
    import importlib.util

    if importlib.util.find_spec("uvloop") is None:
        return None
    import uvloop

    return uvloop.new_event_loop


@contextmanager
def _opened(ready: Ready, folder: Path, *, resume: bool) -> Iterator[None]:
    """The run's folder with its recipe, held while it is written. Raises ConfigError where something else lies there,
    or another process is writing it."""
    from adidem.core.locking import held
    from adidem.core.training.checkpoint import LOCK
    from adidem.core.training.resume import RECIPE
    from adidem.core.writing import write_whole

    def must_be_empty() -> None:
        if not resume and folder.exists() and any(each.name != LOCK for each in folder.iterdir()):
            raise ConfigError(f"--out {folder}: is not empty; go on with --resume, or take another folder")

    file, text = folder / RECIPE, json.dumps(ready.document, indent=1, ensure_ascii=False) + "\n"
    must_be_empty()
    with held(folder, LOCK):
        must_be_empty()  # another one may have been begun and ended meanwhile
        try:
            if not resume or file.read_text(encoding="utf-8") != text:
                write_whole(file, text)
        except OSError as error:
            raise ConfigError(f"--out {folder}: cannot be written: {error.strerror or error}") from error
        yield


def _dry_study(setup: Setup, read: Read, source: Source, *, as_json: bool) -> None:
    """What a study would run, and what one cell of each configuration would hold; nothing is written."""
    from adidem.core.training.estimate import estimate
    from adidem.core.training.estimate_shown import shown
    from adidem.core.training.prepare import prepare
    from adidem.core.training.recipe import recipe_of
    from adidem.core.training.study.run import cells_of

    study = read.recipe.study
    assert study is not None
    cells = cells_of(read, study, source)
    seeds: dict[str, list[int]] = {}
    for cell in cells:
        seeds.setdefault(cell.label, []).append(cell.seed)
    first = {cell.label: cell for cell in reversed(cells) if cell.told.trains}
    found = {
        label: estimate(prepare(setup, recipe_of(first[label].told.document)), cell=True) for label in sorted(first)
    }
    if as_json:
        told = {"cells": len(cells), "seeds": seeds, "configurations": found}
        typer.echo(json.dumps({"dry_run": True, **told}))
        return
    typer.echo(f"{len(cells)} cells, {study.processes} at a time")
    for label in sorted(seeds, key=lambda each: (each in found, each)):  # what only tries the start comes first
        every = f"{len(seeds[label])} cell(s), seed {', '.join(map(str, seeds[label]))}"
        holds = f"in each:\n{shown(found[label])}" if label in found else "the start is tried, nothing is trained"
        typer.echo(f"\n{label}: {every}; {holds}")


def _study(read: Read, folder: Path, source: Source, *, quiet: bool, as_json: bool) -> None:
    """Run what is owed of a study; a folder that holds a part of it goes on by itself."""
    from adidem.core.training.study.run import run_study

    def say(what: str) -> None:
        if not (quiet or as_json):
            typer.echo(f"adidem: {what}", err=True)

    try:
        run_study(read, folder, source, say)
    except TrainingError as error:
        typer.echo(f"adidem: {' '.join(str(error).split())}; {folder} holds the rest", err=True)
        raise typer.Exit(FAILED) from error
    except KeyboardInterrupt as error:
        typer.echo(f"adidem: interrupted; go on with --out {folder}", err=True)
        raise typer.Exit(INTERRUPTED) from error
    if as_json:
        typer.echo(json.dumps({"study": str(folder), "table": str(folder / "table.json")}))
        return
    typer.echo((folder / "table.md").read_text(encoding="utf-8"))
    typer.echo(f"study: {folder}; curves in curves.json, conversations to read blind in reading/")


def _conclude(folder: Path, *, as_json: bool) -> None:
    from adidem.core.training.checkpoint import saved
    from adidem.core.training.metrics import FILE, read
    from adidem.core.training.progress import NOTHING, outcomes

    lines = [figures for figures in read(folder) if figures["update"]]
    made = max([*saved(folder), len(lines)], default=0)
    last, idle = lines[-1] if lines else {}, [figures[NOTHING] for figures in lines if figures.get(NOTHING)]
    if as_json:
        told = {"updates": made, "nothing_learned": len(idle)}
        typer.echo(json.dumps({"run": str(folder), "policy": str(folder / "policy"), **told, "last": last}))
        return
    lost = f"{folder / FILE} holds the figures of {len(lines)} of the {made} updates that were made"
    typer.echo(f"last update: {outcomes(last)}" if lines else lost if made else "no update was made")
    if lines and len(lines) < made:
        typer.echo(f"adidem: warning: {lost}", err=True)
    if idle:
        some = f"{len(idle)} of" if len(idle) < len(lines) else "any of the"
        typer.echo(f"adidem: warning: nothing was learned in {some} {len(lines)} updates: {idle[-1]}", err=True)
    typer.echo(f"run: {folder}; play it with --agent hf:{folder / 'policy'}")


def _folder(name: str) -> Path:
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    base = Path("runs") / f"{stamp}-train-{name}"
    folder, number = base, 2
    while folder.exists():
        folder, number = base.with_name(f"{base.name}-{number}"), number + 1
    return folder
