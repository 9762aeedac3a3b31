"""Prints what the path to a model costs, beside its bounds and beside peers at the same work, measured in turn.

    .venv/bin/python benchmarks/gateway.py [--inspect PYTHON] [--dialogues N] [--rounds N] [--large]

The work: dialogues of ten alternating turns and two records, growing history, 64 calls at once, against an endpoint of
its own on the other core. litellm alone is always played; inspect_ai where it is installed here, or in the environment
of the PYTHON given. `--large` adds the 10,000 episodes and the report over 100,000. Nothing here is a test: machines
differ and are shared, and only the ratios of one run mean anything.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.request import urlopen

PARTS = Path(__file__).parent / "gateway_parts"
AT_ONCE = 64
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
LARGE, COPIES = 10_000, 100_000


def line(what: str, figure: str, bound: str = "") -> None:
    """One figure with its bound."""
    print(f"{what:<58} {figure:>22}" + (f"   bound: {bound}" if bound else ""), flush=True)


def pinned(core: int, command: list[str]) -> list[str]:
    """The command on one core, where cores can be chosen and there are two."""
    if len(CORES) < 2 or shutil.which("taskset") is None:
        return command
    return ["taskset", "-c", str(CORES[core]), *command]


@contextmanager
def endpoint() -> Iterator[str]:
    """The fast endpoint, on a core of its own."""
    command = pinned(-1, [sys.executable, str(PARTS / "stub.py")])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.stdin.close()


def get(url: str) -> dict[str, float]:
    """What the endpoint says of itself."""
    with urlopen(url, timeout=30) as reply:
        found: dict[str, float] = json.load(reply)
    return found


def play(at: str, peer: str, count: int, latency: float, sigma: float, python: str = sys.executable) -> dict[str, Any]:
    """One peer's figures: seconds, ms of processor time a call, the ideal time and how often it fits in."""
    get(f"{at}/set?latency={latency}&sigma={sigma}")
    command = [python, str(PARTS / f"peer_{peer}.py"), f"{at}/v1", str(count), str(AT_ONCE)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(pinned(0, command), capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise SystemExit(f"{peer}: {done.stderr[-2000:]}")
    served, lines = get(f"{at}/stats"), [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]
    assert served["calls"] == 12 * count, (peer, served)
    assert served["records"] == 2 * count, (peer, served)
    found = {**lines[0], **(lines[1] if len(lines) > 1 else {})}
    ideal = max(served["path"], served["total"] / AT_ONCE)
    return {
        **found,
        "rate": served["calls"] / found["wall"],
        "per_call": 1000 * found["cpu"] / served["calls"],
        "process_per_call": 1000 * found["process_cpu"] / served["calls"],
        "ideal": ideal,
        "ratio": found["wall"] / ideal if ideal else 0.0,
    }


def best(rounds: int, *given: Any) -> dict[str, Any]:
    """The round with the least wall time: what disturbs a round only ever slows it."""
    return min((play(*given) for _ in range(rounds)), key=lambda found: float(found["wall"]))


def peers(inspect: str | None) -> dict[str, str]:
    """The peers that can be played here, each with its interpreter."""
    found = {"litellm": sys.executable}
    if inspect is not None:
        found["inspect"] = inspect
    elif importlib.util.find_spec("inspect_ai") is not None:
        found["inspect"] = sys.executable
    return found


def zero_latency(at: str, count: int, rounds: int, others: dict[str, str]) -> None:
    """Processor time and calls a second where nobody waits."""
    ours = best(rounds, at, "adidem", count, 0, 0)
    line("zero latency: processor time a call, whole process", f"{ours['process_per_call']:.2f} ms", "≤ 1.5 ms")
    line("  of it while playing", f"{ours['per_call']:.2f} ms")
    line("  calls a second", f"{ours['rate']:,.0f}")
    line(f"  peak memory, {count} dialogues", f"{ours['memory']:.0f} MB", "< 150 MB")
    line("  store ÷ its text", f"{ours['store'] / ours['text']:.2f}", "≤ 1.5")
    line("  litellm imported", str(ours["litellm"]), "False")
    for name, python in others.items():
        theirs = best(rounds, at, name, count, 0, 0, python)
        bound = {"litellm": 5, "inspect": 10}[name]
        line(f"  {name}: processor time a call", f"{theirs['per_call']:.2f} ms")
        line(f"  {name}: memory", f"{theirs['memory']:.0f} MB")
        line(f"  {name}: calls a second, ours ÷ theirs", f"{ours['rate'] / theirs['rate']:.1f}", f"≥ {bound}")
        line("    the same by processor time", f"{theirs['per_call'] / ours['per_call']:.1f}")


def latencies(at: str, count: int, rounds: int, others: dict[str, str]) -> None:
    """Wall time against the ideal, at a fixed latency and at one with a long tail."""
    for sigma, said, bound in ((0, "100 ms fixed", "≤ 1.15"), (1, "log-normal, median 100 ms, σ 1", "≤ 1.5")):
        ours = best(rounds, at, "adidem", count, 100, sigma)
        line(f"{said}: wall ÷ ideal ({ours['ideal']:.1f} s)", f"{ours['ratio']:.2f}", bound)
        for name, python in others.items():
            theirs = best(1, at, name, count, 100, sigma, python)
            line(f"  {name}", f"{theirs['ratio']:.2f}")


def large(at: str) -> None:
    """Ten thousand episodes in one run; a report over a hundred thousand."""
    ours = play(at, "adidem", LARGE, 0, 0)
    line(f"{LARGE:,} episodes played and stored: memory", f"{ours['memory']:.0f} MB", "< 600 MB")
    line("  time", f"{ours['wall']:.0f} s")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        adidem = [str(Path(sys.executable).with_name("adidem"))]
        subprocess.run([*adidem, "run", "hico", "--out", str(folder), "--json"], check=True, capture_output=True)
        copied = copy(folder / "run.sqlite", COPIES)
        started = perf_counter()
        subprocess.run([*adidem, "report", str(folder), "--format", "json"], check=True, capture_output=True)
        line(f"report over {copied:,} stored episodes", f"{perf_counter() - started:.1f} s", "< 10 s")


def copy(file: Path, wanted: int) -> int:
    """Multiply a run's stored episodes, as further repeats; how many there are then."""
    tables = ("ratings", "flags", "spent", "attempts")
    with sqlite3.connect(file) as db:
        count = db.execute("SELECT count(*) FROM episodes").fetchone()[0]
        columns = [row[1] for row in db.execute("PRAGMA table_info(episodes)") if row[1] not in ("id", "repeat")]
        names = ", ".join(columns)
        for repeat in range(1, -(-wanted // count)):
            db.execute(
                f"INSERT INTO episodes (id, repeat, {names}) SELECT id + {repeat * count}, {repeat}, {names}"
                f" FROM episodes WHERE repeat = 0"
            )
            for table in tables:
                own = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "episode"]
                db.execute(
                    f"INSERT INTO {table} (episode, {', '.join(own)}) SELECT episode + {repeat * count},"
                    f" {', '.join(own)} FROM {table} WHERE episode <= {count}"
                )
        return int(db.execute("SELECT count(*) FROM episodes").fetchone()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inspect", metavar="PYTHON", help="the interpreter of an environment with inspect_ai")
    parser.add_argument("--dialogues", type=int, default=240)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of ours and, at zero latency, of theirs")
    parser.add_argument("--large", action="store_true", help="10,000 episodes, and a report over 100,000")
    given = parser.parse_args()
    if importlib.util.find_spec("httptools") is None:
        print("needs httptools, of the extra `test`")
        return
    others = peers(given.inspect)
    with endpoint() as at:
        zero_latency(at, given.dialogues, given.rounds, others)
        latencies(at, given.dialogues, given.rounds, others)
        if given.large:
            large(at)


if __name__ == "__main__":
    main()
