"""Prints what learning costs: an update of the lab, and a step on SmolLM2 beside a bare loop.

    .venv/bin/python benchmarks/training.py [lab|smollm2] [FOLDER of a lab's starting policy]

The lab's starting policy is made (and kept) where no folder is given, which takes minutes. Each figure stands beside
its bound. Nothing here is a test: machines differ and are shared, so processor time stands beside the clock's.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any

from adidem.core.domain import Objective, Rollout, TurnCredit
from adidem.core.setup import load
from adidem.core.training.contracts import Sample, Trajectory
from adidem.core.training.recipe import Adapter, Update, read_recipe

RECIPES = Path(__file__).resolve().parents[1] / "recipes"
UPDATES, ROUNDS = 3, 2
CONVERSATIONS, TOKENS, OWN, MICRO = 4, 256, 64, 2


def line(what: str, figure: str, bound: str) -> None:
    """One figure with its bound."""
    print(f"{what:<52} {figure:>34}   bound: {bound}", flush=True)


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    started, before = perf_counter(), process_time()
    call()
    return perf_counter() - started, process_time() - before


def lab(start: str | None) -> None:
    """Updates of 384 conversations on one thread, whole: playing, scoring, credit, learning."""
    from adidem.core.training.assemble import assemble
    from adidem.core.training.loop import one_update
    from adidem.core.training.prepare import prepare
    from adidem.core.training.progress import Silent
    from adidem.core.training.update import Learner

    sets = ["tensorboard=false", "evaluation=null", *([f"policy.start={start}"] if start else [])]
    ready = prepare(load(), read_recipe(RECIPES / "lab.yaml", sets), "pacpo")
    with asyncio.Runner() as runner:
        plan = assemble(ready, runner, print)
        stage = plan.stages[0]
        learner = Learner(plan.policy, stage.settings, stage.temperature, stage.longest)
        figures: list[dict[str, Any]] = []
        spent = [
            timed(lambda u=u: figures.append(one_update(plan, stage, learner, u, Silent()))) for u in range(UPDATES)
        ]
    clock, worked = (median(each) for each in zip(*spent, strict=True))
    line("update of 384 conversations, pacpo, one thread", f"{clock:.1f} s ({worked:.1f} s of processor)", "≤ 10 s")
    for name in ("seconds_policy", "seconds_probes", "seconds_partner", "seconds_scoring", "seconds_learned"):
        line(f"  of it {name.removeprefix('seconds_')}", f"{median(f[name] for f in figures):.1f} s", "")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line("  peak memory of this process", f"{peak:.0f} MB", "< 1,500 MB")


def smollm2() -> None:
    """One step on SmolLM2 with a LoRA adapter, by the update and by a bare loop over the same micro-batches."""
    import torch

    from adidem.core.policy.loading import load_policy
    from adidem.core.training.update import Learner

    policy = load_policy("hf:smollm2", adapter=Adapter())
    samples = _samples(int(policy.model.get_input_embeddings().weight.shape[0]))
    credit = TurnCredit("advantages", tuple((1.0, -1.0) for _ in samples))
    settings = Update(lr=1e-5, epochs=1, minibatches=1, micro=MICRO, max_kl=1e9)
    learner = Learner(policy, settings, 1.0, 2 * OWN)
    trained = [each for group in policy.groups() for each in group["params"]]
    optimizer = torch.optim.AdamW(trained, lr=1e-5)

    def ours() -> None:
        learner.learn(samples, credit, Objective(), "0")

    ratios, times = [], []
    ours()
    _bare(policy, samples, optimizer)
    for _ in range(ROUNDS):
        mine, bare = timed(ours), timed(lambda: _bare(policy, samples, optimizer))
        ratios.append((mine[0] / bare[0], mine[1] / bare[1]))
        times.append((mine[1], bare[1]))
    clock, worked = (median(each) for each in zip(*ratios, strict=True))
    mine, bare = (median(each) for each in zip(*times, strict=True))
    line(f"SmolLM2 LoRA step, {CONVERSATIONS} × {TOKENS} tokens", f"{mine:.1f} s against {bare:.1f} s of processor", "")
    line("  beside a bare loop", f"{clock:.2f} × ({worked:.2f} × of processor)", "≤ 1.1 ×")


def _samples(vocabulary: int) -> list[Sample]:
    rng = Random(0)
    found = []
    for k in range(CONVERSATIONS):
        length = TOKENS - 8 * k
        turns = [-1] * (length - 2 * OWN - 1) + [0] * OWN + [-1] + [1] * OWN
        ids = tuple(rng.randrange(vocabulary) for _ in turns)
        trajectory = Trajectory(ids, tuple(turns), tuple(-10.0 if t >= 0 else 0.0 for t in turns))
        found.append(Sample(trajectory, Rollout("s", "a", "first", k, (0.0, 1.0))))
    return found


def _bare(policy: Any, samples: Sequence[Sample], optimizer: Any) -> None:
    """What nobody can leave out: forward through the model and its head where tokens are trained, backward, step."""
    import torch

    optimizer.zero_grad()
    ordered = sorted(samples, key=lambda sample: len(sample.trajectory.ids))
    for start in range(0, len(ordered), MICRO):
        part = ordered[start : start + MICRO]
        width = max(len(sample.trajectory.ids) for sample in part)
        ids = torch.zeros(len(part), width, dtype=torch.long)
        mask = torch.zeros(len(part), width, dtype=torch.bool)
        for row, sample in enumerate(part):
            ids[row, : len(sample.trajectory.ids)] = torch.tensor(sample.trajectory.ids)
            mask[row, : len(sample.trajectory.ids)] = torch.tensor(sample.trajectory.turns) >= 0
        hidden = policy.trunk.hidden(ids[:, :-1])[mask[:, 1:]]
        loss = torch.nn.functional.cross_entropy(policy.trunk.logits(hidden), ids[:, 1:][mask[:, 1:]])
        loss.backward()
    optimizer.step()


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    what = sys.argv[1] if len(sys.argv) > 1 else "all"
    if what in ("all", "lab"):
        lab(sys.argv[2] if len(sys.argv) > 2 else None)
    if what in ("all", "smollm2"):
        smollm2()
