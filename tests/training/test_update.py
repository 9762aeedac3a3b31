"""The update: its loss by hand, its denominators, what it does to the policy, and what stops it."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
import pytest
import torch
from attrs import evolve

from adidem.core.domain import Objective, TurnCredit
from adidem.core.errors import TrainingError
from adidem.core.policy.weights import WeightsPolicy
from adidem.core.training.advantages import targets
from adidem.core.training.contracts import Sample, Trajectory
from adidem.core.training.recipe import Update
from adidem.core.training.update import Learner, batched, k3, shares, value_loss
from rollouts import rollout
from two_turns import VOCABULARY, Words, new_policy

CLIPPED, CRITIC = Objective(), Objective(critic=True)


def conversation(policy: WeightsPolicy, lengths: Sequence[int], seed: int = 0, temperature: float = 1.0) -> Sample:
    """Tokens drawn at random, as many as told for each turn, with the log-probs that the policy gives them."""
    rng = np.random.default_rng(seed)
    turns = [-1, -1]
    for turn, length in enumerate(lengths):
        turns += [turn] * length + [-1]
    ids = tuple(int(each) for each in rng.integers(0, VOCABULARY, len(turns)))
    one = Sample(Trajectory(ids, tuple(turns), (0.0,) * len(ids)), rollout(1.0, turns=len(lengths)))
    logps = logps_of(policy, one, temperature)
    return Sample(evolve(one.trajectory, logps=logps), one.rollout)


def logps_of(policy: WeightsPolicy, one: Sample, temperature: float = 1.0) -> tuple[float, ...]:
    """The policy's log-probs of its own tokens."""
    ids = torch.tensor([one.trajectory.ids])
    with torch.no_grad():
        found = policy.score(ids, torch.tensor([ids.shape[1]]), temperature=temperature).logp[0].tolist()
    return tuple(p if t >= 0 else 0.0 for p, t in zip([0.0, *found], one.trajectory.turns, strict=True))


def learner(policy: WeightsPolicy, temperature: float = 1.0, **settings: Any) -> Learner:
    """With one epoch of one step where nothing else is said."""
    return Learner(policy, Update(**{"lr": 1e-2, "epochs": 1, "minibatches": 1, **settings}), temperature, 8)


def weights_of(policy: WeightsPolicy) -> torch.Tensor:
    """All weights in one row."""
    return torch.cat([each.detach().reshape(-1) for each in policy.model.parameters()])


def credit_of(*numbers: Sequence[float], kind: str = "advantages") -> TurnCredit:
    """Credit by hand."""
    return TurnCredit(kind, tuple(tuple(row) for row in numbers))  # type: ignore[arg-type]


@pytest.mark.parametrize("temperature", [1.0, 0.7, 1.6])
def test_trap_9_the_ratio_is_1_at_the_first_step(temperature: float) -> None:
    """To 1e-5, at any temperature, with dropout in the model."""
    policy = new_policy()
    for module in policy.model.modules():
        if hasattr(module, "attention_dropout"):
            module.attention_dropout = 0.5
    policy = WeightsPolicy(policy.model, Words())  # type: ignore[arg-type]
    samples = [conversation(policy, (2, 3), seed, temperature) for seed in range(4)]
    found = learner(policy, temperature).learn(samples, credit_of(*[(1.0, -1.0)] * 4), CLIPPED, "0")
    assert found["first_ratio_error"] < 1e-5
    assert found["clip_fraction"] == 0
    assert found["kl"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("reduce", "divisors"), [("token", (6, 6)), ("sequence", (2 * 2, 4 * 2)), ("fixed", (2 * 8, 2 * 8))]
)
def test_trap_3_denominators_are_of_the_same_mask(reduce: Any, divisors: tuple[int, int]) -> None:
    """Two conversations of 2 and 4 tokens; the context and the partner count nowhere, nor does an empty one."""
    policy = new_policy()
    samples = [conversation(policy, (1, 1)), conversation(policy, (2, 2), 1), conversation(policy, (0, 0), 2)]
    objective = Objective(reduce=reduce)
    goals = targets(samples, credit_of((1, 1), (1, 1), (0, 0)), objective)
    found = shares(list(zip(samples, goals, strict=True)), objective, 8)
    for share, goal, divisor in zip(found, goals, (*divisors, 1), strict=True):
        assert share[goal.mask] == pytest.approx(1 / divisor)
        assert not share[~goal.mask].any()


def test_the_weights_of_imitation_are_their_own_denominator() -> None:
    """Σ w · nll / Σ w over the tokens."""
    policy = new_policy()
    samples = [conversation(policy, (1, 3)), conversation(policy, (2, 2), 1)]
    objective = Objective(loss="likelihood")
    goals = targets(samples, credit_of((1.0, 0.5), (0.0, 0.0), kind="weights"), objective)
    found = shares(list(zip(samples, goals, strict=True)), objective, 8)
    assert found[0][goals[0].mask] == pytest.approx(np.array([1, 0.5, 0.5, 0.5]) / 2.5)
    assert not found[1].any()


def test_the_policy_loss_by_hand() -> None:
    """A ratio that is beyond the clip counts as the clip where that is worse."""
    policy = new_policy()
    one = conversation(policy, (1, 1))
    logps = list(one.trajectory.logps)
    own = [place for place, turn in enumerate(one.trajectory.turns) if turn >= 0]
    logps[own[0]] -= np.log(1.5)  # ratio 1.5, advantage 1: clipped to 1.2
    logps[own[1]] -= np.log(1.5)  # ratio 1.5, advantage -1: the worse one stays
    changed = Sample(evolve(one.trajectory, logps=tuple(logps)), one.rollout)
    found = learner(policy).learn([changed], credit_of((1.0, -1.0)), CLIPPED, "0")
    assert found["policy_loss"] == pytest.approx(-(1.2 - 1.5) / 2, abs=1e-5)
    assert found["clip_fraction"] == 1


def test_the_value_loss_is_clipped_and_looks_at_its_places_alone() -> None:
    """Trap 5 in the update: 100 where no value is due moves nothing."""
    policy = new_policy()
    samples = [conversation(policy, (2, 2))]
    goals = targets(samples, credit_of((0.0, 1.0), kind="rewards"), Objective(critic=True, lam=1.0), [np.zeros(2)])
    batch = batched(list(zip(samples, goals, strict=True)), [goals[0].mask * 1.0], policy)
    value = torch.where(batch.valued, torch.tensor(0.5), torch.tensor(100.0))
    assert float(value_loss(value, batch, 0)) == pytest.approx(2 * 0.5 * 0.25)
    assert float(value_loss(value, batch, 0.2)) == pytest.approx(2 * 0.5 * 0.64)  # as if it had gone to 0.2 alone


@pytest.mark.parametrize("objective", [CLIPPED, Objective(critic=True, whiten=True), Objective(reduce="sequence")])
def test_micro_batches_add_up_to_the_whole(objective: Objective) -> None:
    """One conversation at a time or all at once: the same step, whatever is padded beside what."""
    found = []
    for micro in (1, 2, 64):
        policy = new_policy()
        samples = [conversation(policy, lengths, seed) for seed, lengths in enumerate([(1, 1), (3, 2), (1, 4), (2, 2)])]
        kind = "rewards" if objective.critic else "advantages"
        credit = credit_of((0.3, 1.0), (0.0, -1.0), (0.5, 0.5), (-0.2, 0.1), kind=kind)
        learner(policy, micro=micro, epochs=2, minibatches=2).learn(samples, credit, objective, "0")
        found.append(weights_of(policy))
    assert torch.allclose(found[0], found[1], atol=2e-5)
    assert torch.allclose(found[0], found[2], atol=2e-5)


def test_what_did_well_becomes_likelier() -> None:
    """A positive-advantage sample's log-prob rises, a negative one's falls."""
    policy = new_policy()
    good, bad = conversation(policy, (2, 2)), conversation(policy, (2, 2), 1)
    learner(policy, lr=1e-3).learn([good, bad], credit_of((1.0, 1.0), (-1.0, -1.0)), CLIPPED, "0")
    assert sum(logps_of(policy, good)) > sum(good.trajectory.logps)
    assert sum(logps_of(policy, bad)) < sum(bad.trajectory.logps)


def test_imitation_learns_what_is_weighted_and_nothing_else() -> None:
    """The other conversation is not even scored; without any weight nothing moves."""
    policy = new_policy()
    kept, left = conversation(policy, (2, 2)), conversation(policy, (2, 2), 1)
    objective = Objective(loss="likelihood")
    before = weights_of(policy)
    nothing = learner(policy).learn([kept, left], credit_of((0, 0), (0, 0), kind="weights"), objective, "0")
    assert nothing["steps"] == 0
    assert torch.equal(before, weights_of(policy))
    learner(policy, epochs=20).learn([kept, left], credit_of((1, 1), (0, 0), kind="weights"), objective, "0")
    assert sum(logps_of(policy, kept)) > sum(kept.trajectory.logps) + 1


def test_kl_to_the_start_holds_the_policy_back() -> None:
    """With a heavy weight it moves less; the reference is the anchored policy."""
    moved = []
    for kl in (0.0, 10.0):
        policy = new_policy()
        policy.anchor()
        samples = [conversation(policy, (2, 2), seed) for seed in range(4)]
        start = weights_of(policy)
        found = learner(policy, kl=kl, epochs=8, lr=2e-3).learn(
            samples, credit_of((1, 1), (1, -1), (-1, 1), (-1, -1)), CLIPPED, "0"
        )
        assert ("kl_to_start" in found) == (kl > 0)
        moved.append(float((weights_of(policy) - start).norm()))
    assert moved[1] < 0.9 * moved[0]


def test_k3_is_never_below_0() -> None:
    """And 0 only where nothing moved."""
    apart = torch.linspace(-3, 3, 101)
    assert (k3(apart) >= 0).all()
    assert float(k3(torch.zeros(1))) == 0


def test_a_number_that_is_none_stops_before_the_step() -> None:
    """The weights are what they were, and the cause is named."""
    policy = new_policy()
    one = conversation(policy, (2, 2))
    broken = Sample(evolve(one.trajectory, logps=tuple(nan for _ in one.trajectory.logps)), one.rollout)
    before = weights_of(policy)
    with pytest.raises(TrainingError, match="the policy loss is nan: no step was taken"):
        learner(policy).learn([broken], credit_of((1.0, 1.0)), CLIPPED, "0")
    assert torch.equal(before, weights_of(policy))
    with torch.no_grad():
        next(policy.model.parameters())[0, 0] = nan
    with pytest.raises(TrainingError, match="is nan"):
        learner(policy).learn([one], credit_of((1.0, 1.0)), CLIPPED, "0")


def test_divergence_stops_with_the_cause() -> None:
    """A policy far from the one that played learns nothing from it."""
    policy = new_policy()
    samples = [conversation(policy, (2, 2), seed) for seed in range(4)]
    with pytest.raises(TrainingError, match=r"nats a token .* more than max_kl 0\.01: it diverges; lower the learning"):
        learner(policy, lr=0.3, epochs=20, max_kl=0.01).learn(samples, credit_of(*[(1.0, -1.0)] * 4), CLIPPED, "0")


def test_trap_16_saved_and_restored_it_takes_the_same_next_step() -> None:
    """Policy, value head and optimizer: the next update is the same, bit for bit."""
    policy = new_policy()
    samples = [conversation(policy, (2, 2), seed) for seed in range(4)]
    credit = credit_of((0, 1), (0, -1), (0.5, 0), (0, 0), kind="rewards")
    objective = Objective(critic=True, whiten=True)
    one = learner(policy)
    one.learn(samples, credit, objective, "0")
    state = {"policy": policy.state(), "optimizer": one.state()}
    one.learn(samples, credit, objective, "1")
    other = new_policy(seed=5)
    other.restore(state["policy"])
    two = learner(other)
    two.restore(state["optimizer"])
    two.learn(samples, credit, objective, "1")
    assert torch.equal(weights_of(policy), weights_of(other))
    for name, tensor in policy.head.state_dict().items():
        assert torch.equal(tensor, other.head.state_dict()[name])


def test_a_truncated_conversation_is_valued_where_it_was_cut() -> None:
    """Trap 13 in the update: the critic's value after the last token is what it goes on with."""
    policy = new_policy()
    with torch.no_grad():
        policy.head.outer.bias.fill_(0.5)
        policy.head.outer.weight.fill_(0.1)
    one = conversation(policy, (2, 2))
    cut = Sample(evolve(one.trajectory, truncated=True), evolve(one.rollout, truncated=True))
    ours = learner(policy)
    (values, plain), (last, none) = ours._values([cut, one], CRITIC)
    ids = torch.tensor([[*one.trajectory.ids, 0]])
    with torch.no_grad():
        scored = policy.score(ids, torch.tensor([ids.shape[1]]), temperature=1.0, values=True).value
    assert scored is not None
    assert last == pytest.approx(float(scored[0, -1]), abs=1e-6)
    assert none == 0
    assert values == pytest.approx(plain, abs=1e-6)
