"""A study: configurations × seeds from one shared starting policy, a few single-thread processes at a time.

Every cell is a process and a folder. A cell that has a result is never run again, one that was killed goes on from its
last checkpoint, and the table is written anew after each: `kill -9` at any moment loses an update, never a cell.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import attrs
from attrs import define, field, frozen

from adidem.core.errors import ConfigError, TrainingError
from adidem.core.locking import held
from adidem.core.registry.tree import plain
from adidem.core.scenarios.bank import SHIPPED
from adidem.core.setup import load
from adidem.core.training.checkpoint import LOCK
from adidem.core.training.needs import must_be_here
from adidem.core.training.prepare import Ready, prepare
from adidem.core.training.recipe import Read, Study, recipe_of
from adidem.core.training.settings import apart, of_components
from adidem.core.training.study.cell import RESULT, TOLD, Told
from adidem.core.training.study.table import write_tables
from adidem.core.writing import write_whole

BASE = "base"
"""The cell in which the shared start is tried, and its label in tables."""

STUDY, CELLS, START, LOG = "study.json", "cells", "start", "log.txt"
UNIT = 0.2
"""Seconds between looks at what runs."""

Say = Callable[[str], None]


@frozen
class Source:
    """What a study's processes load: a registry file (None: the usual one), plugin files, overrides."""

    registry: Path | None = None
    plugins: Sequence[Path] = ()
    overrides: Sequence[str] = ()


@frozen
class Cell:
    """One configuration with one seed."""

    label: str
    seed: int
    told: Told

    @property
    def name(self) -> str:
        """Its folder."""
        return self.label if self.label == BASE else f"{self.label}-{self.seed}"


@define
class _Running:
    cell: Cell
    process: subprocess.Popen[bytes]
    log: Any
    started: float = field(factory=monotonic)


def run_study(read: Read, out: Path, source: Source = Source(), say: Say = lambda _: None) -> Path:
    """Run what is owed of a study, and write its table and curves; the folder.

    Raises:
        ConfigError: the recipe names no study, or anything in it is unknown or cannot work; or the folder holds
            another study; what differs is named; or another process is writing it. Nothing was computed yet.
        TrainingError: cells failed; they are named with their last words, and the table holds the rest.
    """
    study = read.recipe.study
    if study is None:
        raise ConfigError("the recipe names no study: give it `study.configurations`, or name a trainer")
    plan = cells_of(read, study, source)
    if not (out / START).is_dir():
        first = prepare(load(source.registry, source.plugins, source.overrides), recipe_of(plan[0].told.document))
        must_be_here(attrs.evolve(first, recipe=attrs.evolve(first.recipe, policy=read.recipe.policy)))
    with held(out, LOCK):
        return _run_owed(read, study, plan, out, source, say)


def _run_owed(read: Read, study: Study, plan: Sequence[Cell], out: Path, source: Source, say: Say) -> Path:
    setup = load(source.registry, source.plugins, source.overrides)
    _settle(out, plain(read.tree), prepare(setup, recipe_of(plan[0].told.document)).document["components"])
    start = _start(read, plan, out, source, say)
    owed = [cell for cell in plan if not (out / CELLS / cell.name / RESULT).is_file()]
    say(f"{len(plan) - len(owed)} of {len(plan)} cells are done")
    failed = _run(owed, start, out, study, say)
    write_tables(out, [configuration.label for configuration in study.configurations])
    if failed:
        raise TrainingError("; ".join(f"{name}: {why}" for name, why in failed.items()))
    return out


def cells_of(read: Read, study: Study, source: Source) -> list[Cell]:
    """The cells in the order they run: the start, then seed by seed, so that a part of a study is a small study. Every
    configuration is checked first. Raises ConfigError."""
    labels = [configuration.label for configuration in study.configurations]
    if len(set(labels)) < len(labels) or BASE in labels:
        raise ConfigError(f"study.configurations: labels must differ from each other and from {BASE!r}")
    setup = load(source.registry, source.plugins, source.overrides)
    first = _told(read, None, study.seeds[0], source)
    found = [Cell(BASE, study.seeds[0], attrs.evolve(first, trains=False, leaks=True))]
    for seed in study.seeds:
        for place, configuration in enumerate(study.configurations):
            told = _told(read, place, seed, source)
            if seed == study.seeds[0]:
                prepare(setup, recipe_of(told.document))
            if told.trains or seed == study.seeds[0]:
                found.append(Cell(configuration.label, seed, told))
    return found


def _told(read: Read, place: int | None, seed: int, source: Source) -> Told:
    """The document of a cell's own recipe."""
    document: dict[str, Any] = plain(read.tree)
    study, bank = document.pop("study"), document.setdefault("scenarios", {}).get("bank", "hico")
    if bank not in SHIPPED:
        folder = read.tree.where("scenarios", "bank").folder
        document["scenarios"]["bank"] = str((folder / Path(bank).expanduser()).absolute())
    one: Mapping[str, Any] = {} if place is None else study["configurations"][place]
    trainer, stages = one.get("trainer"), one.get("stages")
    if trainer is not None and stages:
        raise ConfigError(f"study.configurations.{place}: name a trainer or stages, not both")
    document.pop("stages", None)
    document.update({"stages": stages} if stages else {"trainer": trainer or "ppo"})
    if trainer is not None and one.get("options"):
        document.setdefault("trainers", {})
        document["trainers"][trainer] = {**document["trainers"].get(trainer, {}), **one["options"]}
    document.update({"seed": seed, "save_every": 1, "keep": 1, "tensorboard": False})
    return Told(
        document=document,
        registry=None if source.registry is None else str(source.registry.absolute()),
        plugins=[str(path.absolute()) for path in source.plugins],
        overrides=list(source.overrides),
        trains=bool(trainer or stages),
        instructed=bool(one.get("instructed", False)),
    )


def _settle(out: Path, recipe: Mapping[str, Any], components: Mapping[str, Any]) -> None:
    """Take the folder for this study, of these options of what plays and rates. Raises ConfigError where another one
    lies there."""
    file = out / STUDY
    (out / CELLS).mkdir(parents=True, exist_ok=True)
    if file.is_file():
        try:
            before = json.loads(file.read_text(encoding="utf-8"))
            found = apart(before["recipe"], json.loads(json.dumps(recipe)))
            found += of_components(before.get("components", {}), json.loads(json.dumps(components)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ConfigError(f"{file}: says no recipe: it is not what a study was begun with") from error
        if found:
            raise ConfigError(f"{out} holds another study: {'; '.join(map(str, found))}; take another --out")
        return
    write_whole(file, json.dumps({"recipe": recipe, "components": components}, ensure_ascii=False, indent=1))


def _start(read: Read, plan: Sequence[Cell], out: Path, source: Source, say: Say) -> Path | None:
    """The policy that all cells start from, kept in the study's folder; None where the model itself is the start."""
    from adidem.core.training.assemble import base_folder

    kept, settings = out / START, read.recipe.policy
    if kept.is_dir():
        return kept
    if settings.start is not None:
        made = settings.start
    elif settings.model == "tiny":
        ready: Ready = prepare(load(source.registry, source.plugins), recipe_of(plan[0].told.document))
        made = base_folder(ready, say)
    else:
        return None
    part = out / f"{START}.part"
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(made, part)
    part.rename(kept)
    return kept


def _run(owed: Sequence[Cell], start: Path | None, out: Path, study: Study, say: Say) -> dict[str, str]:
    """Run cells, so many at a time; the last words of those that failed."""
    waiting, running, failed = list(owed), list[_Running](), dict[str, str]()
    labels = [configuration.label for configuration in study.configurations]
    try:
        while waiting or running:
            while waiting and len(running) < study.processes:
                running.append(_begin(waiting.pop(0), start, out))
            for one in list(_ended(running)):
                running.remove(one)
                folder = out / CELLS / one.cell.name
                if not (folder / RESULT).is_file():
                    failed[one.cell.name] = _last_words(folder / LOG)
                write_tables(out, labels)
                say(f"{one.cell.name}: {monotonic() - one.started:.0f} s, {len(waiting) + len(running)} cells to go")
            sleep(UNIT)
    finally:
        for one in running:
            one.process.terminate()
            one.process.wait()
            one.log.close()
    return failed


def _begin(cell: Cell, start: Path | None, out: Path) -> _Running:
    folder = out / CELLS / cell.name
    folder.mkdir(parents=True, exist_ok=True)
    told = cell.told
    if start is not None:
        policy = {**told.document.get("policy", {}), "start": str(start.absolute()), "threads": 1}
        told = attrs.evolve(told, document={**told.document, "policy": policy})
    write_whole(folder / TOLD, json.dumps(attrs.asdict(told), ensure_ascii=False))
    log = (folder / LOG).open("ab")
    one_thread = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    process = subprocess.Popen(  # our own module, our own folder
        [sys.executable, "-P", "-m", "adidem.core.training.study.cell", str(folder)],
        stdout=log,
        stderr=log,
        env={**os.environ, **one_thread},
    )
    return _Running(cell, process, log)


def _ended(running: Sequence[_Running]) -> Iterator[_Running]:
    for one in running:
        if one.process.poll() is not None:
            one.log.close()
            yield one


def _last_words(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it ended without a word"
