"""Prints what reports cost: the page of 240 and of 10,000 episodes, the terminal's report of 100,000.

    .venv/bin/python benchmarks/report.py

Runs are made by storing the episodes of one scripted run again and again under other scenarios. Each figure stands
beside its bound; wall time of the whole command, starting up included. Nothing here is a test: machines differ and are
shared, so the processor's time stands beside it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from attrs import evolve

from adidem.core.runs.store import RunStore

ADIDEM = [sys.executable, "-m", "adidem"]


def line(what: str, figure: str, bound: str) -> None:
    """One figure with its bound."""
    print(f"{what:<52} {figure:>34}   bound: {bound}")


def timed(*words: object) -> tuple[float, float]:
    """A command's wall time and processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = perf_counter()
    subprocess.run([*ADIDEM, *map(str, words)], stdout=subprocess.DEVNULL, check=True)
    wall, after = perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shown(seconds: tuple[float, float]) -> str:
    """Both times."""
    return f"{seconds[0]:.1f} s ({seconds[1]:.1f} s of processor)"


def enlarged(source: Path, folder: Path, number: int) -> Path:
    """A run of that many episodes, all of them like those of `source`."""
    with RunStore(source) as old, RunStore(folder, write=True) as new:
        episodes, scenarios = list(old.episodes()), list(old.scenarios())
        new.begin(old.get("config"), scenarios, number)
        for key in ("speaks", "judges", "seconds"):
            new.put(key, old.get(key))
        for place in range(number):
            episode, again = episodes[place % len(episodes)], place // len(episodes)
            scenario = f"{episode.scenario}{again:04d}"
            new.add(evolve(episode, scenario=scenario, task=f"{scenario}/{episode.world}/{episode.seat}"))
    return folder


def main() -> None:
    """Play one run, enlarge it, time each report."""
    with tempfile.TemporaryDirectory() as base:
        plain, judged = Path(base) / "plain", Path(base) / "judged"
        run, page = ["run", "hico", "--agent", "scripted:agreeable", "--quiet"], ["--format", "html"]
        timed(*run, "--out", plain)
        timed(*run, "--judge", "scripted:judge", "--barrier", "semantic_vagueness:0.7", "--out", judged)
        line("page of 240 episodes", shown(timed("report", plain, *page)), "< 5 s")
        line("  its size", size(plain), "< 3 MB")
        line("page of 480 episodes, judged, with a barrier", shown(timed("report", judged, *page)), "none")
        both = timed("report", plain, judged, "--compare", "--out", Path(base) / "both.html", *page)
        line("page of two runs compared", shown(both), "none")
        some = enlarged(judged, Path(base) / "some", 10_000)
        line("page of 10,000 episodes, judged, with a barrier", shown(timed("report", some, *page)), "< 60 s")
        line("  its size", size(some), "summarised, < 3 MB")
        line("table of the same", shown(timed("report", some)), "none")
        many = enlarged(plain, Path(base) / "many", 100_000)
        line("table of 100,000 episodes", shown(timed("report", many)), "< 10 s")
        line("csv of the same", shown(timed("report", many, "--format", "csv")), "none")


def size(run: Path) -> str:
    """How large a run's page is."""
    return f"{(run / 'report.html').stat().st_size / 1e6:.2f} MB"


if __name__ == "__main__":
    main()
