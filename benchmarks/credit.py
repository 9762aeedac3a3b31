"""Prints what the credit of an update costs: 384 conversations of 8 turns, each trainer.

    .venv/bin/python benchmarks/credit.py

The bound is 50 ms. Nothing here is a test: machines differ and are shared.
"""

from __future__ import annotations

from random import Random
from statistics import median
from time import perf_counter, process_time

from adidem.core.domain import WORLDS, Probe, Rollout
from adidem.core.setup import load

CONVERSATIONS, TURNS, ROUNDS = 384, 8, 15
BOUND = 50


def rollouts(samples: int, seed: int = 0) -> list[Rollout]:
    """An update of that many conversations, with probes, anchors and ratings."""
    rng = Random(seed)
    found = []
    for scenario in range(CONVERSATIONS // (2 * samples)):
        for world in WORLDS:
            for sample in range(samples):
                turns = TURNS if sample else rng.randint(2, TURNS)
                probes = tuple(
                    Probe(*rng.choice([(True, False), (False, True), (False, False), (None, None)]), rng.random() < 0.7)
                    for _ in range(turns - 1)
                )
                anchors = tuple(f"{turn} {rng.randrange(4)}" for turn in range(turns))
                success = rng.random() < 0.3
                rewards = (0.0,) * (turns - 1) + (0.8 * success + 0.2 * (rng.random() < 0.5),)
                name = f"family/train/{scenario:02d}"
                lengths = tuple(rng.randint(1, 12) for _ in range(turns))
                found.append(Rollout(name, world, "first", sample, rewards, probes, anchors, success, tokens=lengths))
    return found


if __name__ == "__main__":
    for name, trainer in load().components.trainers.items():
        given = rollouts(trainer.sampling.samples)
        trainer.credit(given)  # what is imported once
        spent, worked = [], []
        for _ in range(ROUNDS):
            started, before = perf_counter(), process_time()
            trainer.credit(given)
            spent.append(perf_counter() - started)
            worked.append(process_time() - before)
        figure = f"{1000 * median(spent):6.1f} ms ({1000 * median(worked):.1f} ms of processor)"
        print(f"credit of {len(given)} conversations, {name:<20} {figure}   bound: {BOUND} ms")
