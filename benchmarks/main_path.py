"""Prints what the main path costs: playing, certifying, generating, judging by rules, starting up.

    .venv/bin/python benchmarks/main_path.py

Each figure stands beside its bound. Nothing here is a test: machines differ and are shared.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.domain import Record
from adidem.core.play import JudgeSeat
from adidem.core.play import Setup as PlaySetup
from adidem.core.records import write_record
from adidem.core.runs.execute import execute
from adidem.core.runs.executors import LocalExecutor
from adidem.core.runs.plan import Plan, plan_jobs
from adidem.core.runs.scenarios import rules_of, select
from adidem.core.runs.store import RunStore
from adidem.core.setup import load

GENERATED = 10_000
SPLITS = ("train", "dev", "test")


def line(what: str, figure: str, bound: str) -> None:
    """One figure with its bound."""
    print(f"{what:<58} {figure:>22}   bound: {bound}")


async def _play(jobs: Plan, executor: LocalExecutor, store: RunStore) -> None:
    async with executor.playing() as player:
        await execute(jobs, player, store, executor.at_once)


def playing() -> None:
    """240 scripted tasks, rules and both offline judges and the store included."""
    setup = load()
    suite = setup.suite("hico")
    selection = select(setup, suite)
    jobs = plan_jobs(selection.scenarios, ["none"], 1)
    judges = tuple(JudgeSeat(name, setup.components.judges[name]) for name in suite.judges)
    for name in MANNERS:
        agent, partner = ScriptedAgent(MANNERS[name]), ScriptedAgent(MANNERS["candid"])
        played = PlaySetup(agent, partner, selection.rules, judges=judges)
        with tempfile.TemporaryDirectory() as folder, RunStore(Path(folder) / "run", write=True) as store:
            store.begin({}, selection.scenarios, len(jobs))
            started = perf_counter()
            asyncio.run(_play(jobs, LocalExecutor({"none": played}, suite.concurrency), store))
            seconds = perf_counter() - started
        line(f"play {len(jobs)} tasks, scripted:{name}", f"{len(jobs) / seconds:,.0f} episodes/s", "≥ 100 episodes/s")


def certifying() -> None:
    """The shipped bank, enumerated afresh."""
    setup = load()
    suites = [setup.suite("hico", split=split) for split in SPLITS]
    started = perf_counter()
    count = sum(len(select(setup, suite).scenarios) for suite in suites)
    line(f"read and certify the bank ({count} scenarios)", f"{perf_counter() - started:.2f} s", "< 5 s")


def generating() -> None:
    """Generated scenarios over all families, each certified, and how many plans are right in a world."""
    setup = load()
    rules = rules_of(setup, setup.suite("hico").families)
    each = GENERATED // len(rules) + 1
    total, plans = 0.0, {}
    for name, judged in rules.items():
        started = perf_counter()
        scenarios = judged.family.scenarios("train", 1, each)
        certificates = [judged.certificate(s) for s in scenarios]
        total += perf_counter() - started
        assert all(c.holds for c in certificates), name
        plans[name] = sorted(len(side.plans) for c in certificates for side in (c.a, c.b) if side.plans)
        del scenarios, certificates
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line(f"generate and certify {each * len(rules):,} scenarios", f"{total:.1f} s", "< 60 s")
    line("  peak memory of this process", f"{peak:.0f} MB", "< 500 MB")
    for name, counts in plans.items():
        spread = f"{counts[0]} / {median(counts):g} / {counts[-1]}"
        line(f"  right plans a world, {name}", spread, "min / median / max")


def judging() -> None:
    """Verdicts on pairs of records, right and wrong ones, read from JSON."""
    setup = load()
    selection = select(setup, setup.suite("hico"))
    cases = []
    for scenario in selection.scenarios:
        rules = selection.rules[scenario.family]
        for world in scenario.worlds:
            right = rules.right(world)
            plan = write_record(Record("agree", right.plans[0])) if right.plans else {"outcome": "decline"}
            cases.append((rules, world, {"first": plan, "second": plan}))
            cases.append((rules, world, {"first": plan, "second": {"outcome": "decline"}}))
    rounds = 40
    started = perf_counter()
    for _ in range(rounds):
        for rules, world, raws in cases:
            rules.feasibility(world, raws)
    rate = rounds * len(cases) / (perf_counter() - started)
    line("Feasibility verdicts", f"{rate:,.0f} /s", "≥ 20,000 /s")


def starting() -> None:
    """`adidem --help` and `adidem plugins` beside `import typer`, in turn."""
    commands = {
        "import typer": [sys.executable, "-c", "import typer"],
        "adidem --help": [str(Path(sys.executable).with_name("adidem")), "--help"],
        "adidem plugins": [str(Path(sys.executable).with_name("adidem")), "plugins"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(7):
        for name, command in commands.items():
            started = perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            times[name].append(perf_counter() - started)
    base = median(times["import typer"])
    for name in ("adidem --help", "adidem plugins"):
        spent = median(times[name])
        line(f"start {name}", f"{spent / base:.1f} × import typer", f"≤ 3 × ({1000 * base:.0f} ms)")


if __name__ == "__main__":
    generating()  # first: the peak memory is the process's
    certifying()
    judging()
    playing()
    starting()
