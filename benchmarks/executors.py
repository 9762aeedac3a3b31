"""Prints what playing on a Ray cluster costs, an episode, beside playing here; needs the extra `scale`.

    .venv/bin/python benchmarks/executors.py [--episodes N] [--workers N]

Scripted agents on the test tasks, rules, two judges by rules and the store included. The processor time of the driver
is what bounds one cluster: it submits, takes in and writes every episode. Nothing here is a test: machines differ and
are shared.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from adidem.core.runs.execute import Progress
from adidem.core.runs.executors import Executor
from adidem.core.runs.recipe import Recipe
from adidem.core.runs.suite import open_store, run_jobs


def played(recipe: Recipe, executor: Executor | None, episodes: int) -> tuple[float, float, float]:
    """Seconds until the first episode ended; of the rest wall time and processor time of this process, an episode."""
    prepared = recipe.prepared(recipe.setup())
    marks: list[tuple[float, float]] = []

    def mark(_episode: object, _outcomes: object, _progress: Progress) -> None:
        marks.append((perf_counter(), process_time()))

    with tempfile.TemporaryDirectory() as name:
        store, jobs = open_store(prepared, Path(name) / "run", resume=False)
        with store:
            began = perf_counter()
            progress = run_jobs(prepared, store, jobs[:episodes], mark, executor=executor)
        assert progress.scored == episodes, progress
    (first, first_used), (last, last_used) = marks[0], marks[-1]
    return first - began, (last - first) / (episodes - 1), (last_used - first_used) / (episodes - 1)


def shown(what: str, found: tuple[float, float, float]) -> None:
    """One line of figures."""
    start, wall, used = found
    print(
        f"{what:<34} first episode after {start:5.1f} s, then {1000 * wall:6.2f} ms an episode, "
        f"of this process {1000 * used:5.2f} ms of processor time",
        flush=True,
    )


def main() -> None:
    """Play the same here and there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=2400)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if importlib.util.find_spec("ray") is None:
        print("needs Ray, of the extra `scale`")
        return
    from adidem.core.runs.executors.cluster import RayExecutor

    recipe = Recipe("hico", "scripted:candid", {"repeats": -(-given.episodes // 240)})
    shown("here", played(recipe, None, given.episodes))
    for workers in sorted({1, given.workers}):
        began = perf_counter()
        cluster = RayExecutor(recipe, recipe.prepared(recipe.setup()), workers)
        started = perf_counter() - began
        try:
            shown(f"Ray, {workers} worker{'s' * (workers > 1)} (up in {started:.1f} s)",
                  played(recipe, cluster, given.episodes))  # fmt: skip
        finally:
            cluster.close()


if __name__ == "__main__":
    main()
