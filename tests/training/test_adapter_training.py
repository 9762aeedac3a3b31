"""The loop trains an adapter: it alone changes, what did well becomes likelier, and it goes on after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from attrs import evolve

from adidem.core.policy.adapter import AdapterPolicy
from adidem.core.training.loop import Plan, train
from adidem.core.training.metrics import read
from adidem.plugins.trainers.pacpo import PaCPO
from adidem.plugins.trainers.self_reinforcement import SelfReinforcement
from two_turns import Words, plan_of, taught_policy


def adapted() -> AdapterPolicy:
    """A taught policy with a fresh adapter, which is what is trained."""
    from peft import LoraConfig, get_peft_model

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
        model = get_peft_model(taught_policy().model, config)  # type: ignore[arg-type]
    return AdapterPolicy(model, Words(), "taught")  # type: ignore[arg-type]


def plan(policy: AdapterPolicy, **more: Any) -> Plan:
    """Self-reinforcement, then PaCPO with KL to where it started."""
    settings = {"updates": 2, "conversations": 64, "lr": 1e-2, "kl": 0.01, **more}
    return plan_of(policy, SelfReinforcement(), PaCPO(), **settings)  # type: ignore[arg-type]


def test_an_adapter_learns_and_its_base_stays(tmp_path: Path) -> None:
    """Four updates in two stages; the second's reference is the adapter of the first."""
    policy = adapted()
    before = {name: each.detach().clone() for name, each in policy.model.named_parameters()}
    train(plan(policy, updates=4), tmp_path)
    moved = {name for name, each in policy.model.named_parameters() if name in before and not each.equal(before[name])}
    assert moved
    assert all("lora_" in name for name in moved)
    lines = read(tmp_path)
    assert lines[-1]["reward"] > lines[0]["reward"] + 0.2
    assert lines[4]["kl_to_start"] < lines[3]["kl_to_start"]


def test_after_a_kill_an_adapter_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    """In the second stage, whose reference is an adapter."""
    whole = adapted()
    train(plan(whole), tmp_path / "whole")
    made = plan(adapted())
    calls = 0

    def killed(jobs: Any, sampling: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return made.stages[1].play(jobs, sampling)

    with pytest.raises(KeyboardInterrupt):
        train(evolve(made, stages=[made.stages[0], evolve(made.stages[1], play=killed)]), tmp_path / "halved")
    policy = adapted()
    train(plan(policy), tmp_path / "halved", resume=True)
    for name, one in whole.state()["trained"].items():
        assert torch.equal(one, policy.state()["trained"][name]), name
    figures = [
        [{k: v for k, v in line.items() if not k.startswith("seconds")} for line in read(tmp_path / name)]
        for name in ("whole", "halved")
    ]
    assert figures[0] == figures[1]
