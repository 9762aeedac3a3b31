"""One cell of a study: one configuration with one seed, trained from the shared start and then tried; a process.

`python -m adidem.core.training.study.cell FOLDER` reads `cell.json` there and writes `result.json` at the very end, so
that a cell with a result is whole. One that was killed goes on from its last checkpoint.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import attrs
from attrs import evolve, frozen

from adidem.core.locking import held
from adidem.core.setup import Setup, load
from adidem.core.training.checkpoint import LOCK
from adidem.core.training.recipe import recipe_of, sets_of
from adidem.core.writing import write_whole

if TYPE_CHECKING:
    from adidem.core.policy.contracts import Policy
    from adidem.core.training.prepare import Ready

TOLD, RESULT = "cell.json", "result.json"
"""What a cell is told, and what it found."""

KEPT = ("update", "trainer", "reward", "feasibility", "integrity", "verified_success", "conduct", "entropy", "kl")
"""The figures of a learning curve; those of credit and of time are kept too."""


@frozen
class Told:
    """What a cell is told: the recipe's document with its trainer or stages, seed and start; where plugins and registry
    are; whether the start is only tried."""

    document: Mapping[str, Any]
    registry: str | None = None
    plugins: Sequence[str] = ()
    overrides: Sequence[str] = ()
    trains: bool = True
    instructed: bool = False
    leaks: bool = False


def run_cell(folder: Path) -> None:
    """Train (where it is not only tried) and try; write the result. Where another process is at it still (its study was
    killed, and it was not), that one ends first, and what it found stays."""
    with held(folder, LOCK, waiting=lambda: _say("waits: another process is at this cell")):
        if not (folder / RESULT).is_file():
            _run(folder)


def _run(folder: Path) -> None:
    from adidem.core.training.assemble import assemble
    from adidem.core.training.checkpoint import saved
    from adidem.core.training.evaluate import trials_of
    from adidem.core.training.loop import train

    told = Told(**json.loads((folder / TOLD).read_text(encoding="utf-8")))
    registry = None if told.registry is None else Path(told.registry)
    setup = load(registry, [Path(each) for each in told.plugins], told.overrides)
    ready = made_ready(folder, setup, told)
    started = perf_counter()
    with asyncio.Runner() as runner:
        plan = evolve(assemble(ready, runner, _say), evaluate=None)
        if told.trains:
            train(plan, folder, resume=bool(saved(folder)))
        trained = perf_counter()
        if told.instructed:
            codec: Any = plan.policy.codec
            plan.policy.codec = codec.instructed()
        trials = runner.run(trials_of(ready, plan.policy))
        leak = runner.run(_leak(ready, plan.policy)) if told.leaks else None
        runner.run(ready.sources.close())
    result = {
        "curve": _curve(folder),
        "trials": {name: [attrs.asdict(each) for each in found] for name, found in trials.items()},
        "leak": leak,
        "seconds_trained": round(trained - started, 1),
        "seconds_tried": round(perf_counter() - trained, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    write_whole(folder / RESULT, json.dumps(result, ensure_ascii=False))


def made_ready(folder: Path, setup: Setup, told: Told) -> Ready:
    """The cell made ready; one that was killed goes on by the settings that it was begun with."""
    from adidem.core.training.checkpoint import saved
    from adidem.core.training.resume import RECIPE, Words, begun, resumed

    words, file = Words(recipe_of(told.document), sets_of(())), folder / RECIPE
    if told.trains and file.is_file() and saved(folder):
        ready, notes = resumed(folder, setup, words)
        for note in notes:
            _say(note)
        return ready
    ready = begun(setup, words)
    if told.trains:
        write_whole(file, json.dumps(ready.document, ensure_ascii=False, indent=1) + "\n")
    return ready


async def _leak(ready: Ready, policy: Policy) -> dict[str, float]:
    from adidem.core.training.evaluate import trial_scenarios
    from adidem.core.training.lab.leaks import public_alone

    scenarios = trial_scenarios(ready)
    leak, _ = await public_alone(policy, scenarios, ready.rules, ready.phases[0].play.turns)
    return attrs.asdict(leak)


def _curve(folder: Path) -> list[dict[str, Any]]:
    from adidem.core.training.metrics import read

    return [
        {name: value for name, value in line.items() if name in KEPT or name.startswith(("credit/", "seconds"))}
        for line in read(folder)
    ]


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    run_cell(Path(sys.argv[1]))
