"""One cell of a study: one configuration with one seed, trained from the shared start and then tried; a process.

`python -m adidem.core.training.study_cell FOLDER` reads `cell.json` there and writes `result.json` at the very end, so
that a cell with a result is whole. One that was killed goes on from its last checkpoint.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

import attrs
from attrs import evolve, frozen

from adidem.core.domain import Scenario, Turn, other
from adidem.core.errors import ConfigError
from adidem.core.play.barrier import through
from adidem.core.play.judge import JudgeSeat
from adidem.core.scenarios import load_bank
from adidem.core.setup import load
from adidem.core.training.recipe import Evaluation, recipe_of

if TYPE_CHECKING:
    from adidem.core.policy.contracts import Policy
    from adidem.core.training.evaluate import Trial
    from adidem.core.training.prepare import Across, Ready
    from adidem.core.training.sides import Talk

TOLD, RESULT = "cell.json", "result.json"
"""What a cell is told, and what it found."""

SEED = 20_000
"""Of what is drawn in trying: the same for every cell, so that differences are paired."""

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
    """Train (where it is not only tried) and try; write the result."""
    from adidem.core.training.assemble import assemble
    from adidem.core.training.checkpoint import saved
    from adidem.core.training.loop import train
    from adidem.core.training.prepare import prepare

    told = Told(**json.loads((folder / TOLD).read_text(encoding="utf-8")))
    registry = None if told.registry is None else Path(told.registry)
    setup = load(registry, [Path(each) for each in told.plugins], told.overrides)
    ready = prepare(setup, recipe_of(told.document))
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


async def trials_of(ready: Ready, policy: Policy) -> dict[str, list[Trial]]:
    """What the recipe's evaluation asks for: the test tasks at each temperature (`T=1`), with another partner
    (`held_out`), with the partner's words out of order (`shuffled`). Conduct is judged whether it is paid for or not.

    Raises:
        ConfigError: the bank has no such tasks, or a partner is unknown.
    """
    from adidem.core.training.evaluate import Settings, Shuffled, speaking, tried
    from adidem.core.training.reward import Scorer

    asked, recipe = ready.recipe.evaluation or Evaluation(), ready.recipe
    scenarios = _scenarios(ready, asked)
    conduct = JudgeSeat("conduct", ready.setup.components.get("judge", "conduct"))
    scorer = Scorer(ready.rules, evolve(recipe.reward, conduct="gate"), ready.judge, conduct, ready.raters)
    turns = ready.phases[0].play.turns
    settings = Settings(turns=turns, repeats=asked.repeats, seed=SEED, together=recipe.play.at_once)
    go = partial(_tried, tried, policy, scenarios, ready, scorer)
    usual = _across(ready, asked.partner)
    found = {}
    for temperature in asked.temperatures:
        found[f"T={temperature:g}"] = await go(usual, evolve(settings, temperature=temperature))
    first = evolve(settings, temperature=asked.temperatures[0])
    if asked.held_out is not None:
        found["held_out"] = await go(_across(ready, asked.held_out), first)
    if asked.shuffled:
        mixed: Any = Shuffled(policy.codec)
        with speaking(policy, mixed):
            found["shuffled"] = await go(usual, first)
    return found


async def _tried(
    tried: Any, policy: Policy, scenarios: Sequence[Scenario], ready: Ready, scorer: Any, across: Across, settings: Any
) -> list[Trial]:
    partner: Any = across.agent
    barrier = partial(_distorted, across) if across.barrier else None
    found: list[Trial] = await tried(policy, scenarios, ready.rules, scorer, partner, settings, barrier)
    return found


def _distorted(across: Across, talk: Talk) -> Callable[[Turn], Turn]:
    return through(across.barrier, other(talk.job.task.seat), Random(f"{talk.job.seed}/barrier"), talk.turns)


def _across(ready: Ready, spec: str | None) -> Across:
    """Who sits across in an evaluation: the partner of training, or another behind the same barrier."""
    from adidem.core.training.prepare import agent_of

    usual = ready.phases[0].partner
    return usual if spec is None else evolve(usual, agent=agent_of(ready.sources, spec, "partner"))


def _scenarios(ready: Ready, asked: Evaluation) -> list[Scenario]:
    from adidem.core.runs.plan import spread

    bank = ready.recipe.scenarios.bank
    found = [s for s in load_bank(bank) if s.family in ready.rules and s.split == asked.split and len(s.worlds) > 1]
    if not found:
        raise ConfigError(f"the bank {bank} has no {asked.split} scenario of the recipe's families")
    each = 2 * len(found[0].worlds)
    return found if asked.limit is None else spread(found)[: max(1, asked.limit // each)]


async def _leak(ready: Ready, policy: Policy) -> dict[str, float]:
    from adidem.core.training.lab.leaks import public_alone

    scenarios = _scenarios(ready, ready.recipe.evaluation or Evaluation())
    leak, _ = await public_alone(policy, scenarios, ready.rules, ready.phases[0].play.turns)
    return attrs.asdict(leak)


def _curve(folder: Path) -> list[dict[str, Any]]:
    from adidem.core.training.metrics import read

    return [
        {name: value for name, value in line.items() if name in KEPT or name.startswith(("credit/", "seconds"))}
        for line in read(folder)
    ]


def write_whole(file: Path, text: str) -> None:
    """Write a file that is there whole or not at all, whatever happens meanwhile."""
    part = file.with_suffix(file.suffix + ".part")
    with part.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    run_cell(Path(sys.argv[1]))
