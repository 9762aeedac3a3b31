"""The loop trains an adapter: it alone changes, what did well becomes likelier, and it goes on after a kill."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from attrs import evolve

from adidem.core.domain import Objective, Rollout, TurnCredit
from adidem.core.policy.adapter import AdapterPolicy
from adidem.core.training.contracts import Sample, Trajectory
from adidem.core.training.loop import Plan, train
from adidem.core.training.metrics import read
from adidem.core.training.recipe import Update
from adidem.core.training.update import Learner
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


def test_what_did_well_becomes_likelier_under_an_adapter() -> None:
    """And what did badly less likely."""
    policy = adapted()
    likelier(policy, [1, 2, 6, 3, 4, 7], [5, 1, 8, 2, 9, 6], split=2)


@pytest.mark.slow
def test_what_did_well_becomes_likelier_under_smollm2s_adapter() -> None:
    """With the settings of the shipped recipe."""
    from adidem.core.policy.loading import load_policy
    from adidem.core.training.recipe import Adapter, read_recipe

    recipe = read_recipe(Path(__file__).parents[2] / "recipes" / "smollm2.yaml").recipe
    assert recipe.policy.adapter == Adapter()
    policy: Any = load_policy("smollm2", adapter=recipe.policy.adapter)
    good, bad = (policy.codec.tokenizer.encode(text) for text in ("Ask: how many? 12 will do.", "Bye. No, I will not."))
    likelier(policy, good, bad, split=3, lr=recipe.update.lr)


def likelier(policy: Any, good: list[int], bad: list[int], *, split: int, lr: float = 1e-2) -> None:
    """After one step with an advantage of 1 and one of -1; of each the first tokens are context. Only the adapter has
    changed."""
    samples = [_said(policy, ids, split) for ids in (good, bad)]
    before = [sum(sample.trajectory.logps) for sample in samples]
    frozen = {n: p.detach().clone() for n, p in policy.model.named_parameters() if not p.requires_grad}
    learner = Learner(policy, Update(lr=lr, epochs=1, minibatches=1), 1.0, 16)
    found = learner.learn(samples, TurnCredit("advantages", ((1.0,), (-1.0,))), Objective(), "0")
    after = [sum(_said(policy, ids, split).trajectory.logps) for ids in (good, bad)]
    assert found["changed"] > 0
    assert after[0] > before[0]
    assert after[1] < before[1]
    assert all(torch.equal(frozen[n], p) for n, p in policy.model.named_parameters() if n in frozen)


def _said(policy: Any, ids: list[int], split: int) -> Sample:
    with torch.no_grad():
        found = policy.score(torch.tensor([ids]), torch.tensor([len(ids)]), temperature=1.0).logp[0].tolist()
    logps = [0.0] * split + found[split - 1 :]
    turns = [-1] * split + [0] * (len(ids) - split)
    rollout = Rollout("s", "a", "first", 0, (0.0,), tokens=(len(ids) - split,))
    return Sample(Trajectory(tuple(ids), tuple(turns), tuple(logps)), rollout)
