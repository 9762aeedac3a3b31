"""Every trainer learns a small problem whose best acts are known: ask, then write down what was heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from adidem.core.contracts import Trainer
from adidem.core.training.loop import train
from adidem.core.training.metrics import read
from adidem.plugins.trainers.dr_grpo import DrGRPO
from adidem.plugins.trainers.gigpo import GiGPO
from adidem.plugins.trainers.graphgpo import GraphGPO
from adidem.plugins.trainers.grpo import GRPO
from adidem.plugins.trainers.pacpo import PaCPO
from adidem.plugins.trainers.ppo import PPO
from adidem.plugins.trainers.self_reinforcement import SelfReinforcement
from two_turns import plan_of, taught_policy

TRAINERS = [
    PPO(),
    PPO(level="token"),
    PaCPO(probe="reply"),
    PaCPO(),
    GRPO(),
    DrGRPO(),
    GiGPO(),
    GraphGPO(),
    SelfReinforcement(),
]


@pytest.mark.parametrize(
    "trainer", TRAINERS, ids=lambda t: f"{t.name}-{getattr(t, 'level', '')}{getattr(t, 'probe', '')}"
)
def test_a_trainer_learns_to_ask_and_to_copy(trainer: Trainer, tmp_path: Path) -> None:
    """From three in ten to nearly always right."""
    train(plan_of(taught_policy(), trainer, updates=12, conversations=128, lr=5e-3), tmp_path)
    lines = read(tmp_path)
    assert lines[0]["reward"] < 0.4
    assert lines[-1]["reward"] > 0.85
    assert lines[-1]["asked"] > 0.9
