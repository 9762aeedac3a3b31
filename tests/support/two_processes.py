"""Trains the problem with a known answer in as many processes as torchrun starts, and keeps the weights.

torchrun --standalone --nproc-per-node 2 tests/support/two_processes.py TRAINER FOLDER
"""

import sys
from pathlib import Path

import torch
from attrs import evolve

sys.path.insert(0, str(Path(__file__).parent))
torch.set_num_threads(1)

from adidem.core.setup import load  # noqa: E402
from adidem.core.training.loop import train  # noqa: E402
from adidem.core.training.parallel import joined  # noqa: E402
from two_turns import plan_of, taught_policy  # noqa: E402

if __name__ == "__main__":
    name, folder = sys.argv[1], Path(sys.argv[2])
    processes = joined()
    policy = taught_policy(steps=3)
    kl = 0.05 if name == "pacpo" else 0.0
    plan = plan_of(policy, load().components.get("trainer", name), updates=2, conversations=48, micro=5, kl=kl)
    train(evolve(plan, processes=processes), folder)
    tensors = {**policy.model.state_dict(), **{f"head.{k}": v for k, v in policy.head.state_dict().items()}}
    torch.save(tensors, folder / f"weights-{processes.rank}-of-{processes.count}.pt")
