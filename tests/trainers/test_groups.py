"""GRPO, Dr.GRPO, GiGPO and GraphGPO: hand-worked groups, and what stays out of them."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.contracts import Trainer
from adidem.core.domain import Rollout
from adidem.plugins.trainers._groups import gathered, normalised
from adidem.plugins.trainers.dr_grpo import DrGRPO
from adidem.plugins.trainers.gigpo import GiGPO
from adidem.plugins.trainers.graphgpo import GOAL, GraphGPO, distances
from adidem.plugins.trainers.grpo import GRPO
from adidem.plugins.trainers.ppo import PPO
from rollouts import rollout, updates

EPS = 1e-4
METHODS = [GRPO(), DrGRPO(), GiGPO(), GraphGPO()]


def group(*returns: float, turns: int = 2, **more: object) -> list[Rollout]:
    """Samples of one task with these returns; every state is met by all."""
    anchors = tuple(f"t{t}" for t in range(turns))
    return [rollout(r, turns=turns, sample=k, anchors=anchors, success=r > 0.9, **more) for k, r in enumerate(returns)]


def first(trainer: Trainer, rollouts: list[Rollout]) -> list[float]:
    """The first turn's number of each conversation."""
    return [row[0] for row in trainer.credit(rollouts).values]


def test_grpo_by_hand() -> None:
    """Returns 1, 1, 0, 0: mean ½, deviation √⅓."""
    unit = 0.5 / (np.sqrt(1 / 3) + EPS)
    credit = GRPO().credit(group(1, 1, 0, 0))
    assert credit.kind == "advantages"
    assert credit.values == tuple((pytest.approx(x),) * 2 for x in (unit, unit, -unit, -unit))


def test_dr_grpo_by_hand() -> None:
    """Centred alone; the denominator is fixed."""
    assert DrGRPO().credit(group(1, 1, 1, 0)).values == ((0.25,) * 2,) * 3 + ((-0.75,) * 2,)
    assert DrGRPO().objective.reduce == "fixed"


def test_gigpo_by_hand() -> None:
    """The episode's advantage, and the step's among those from the same state: two of the four met at x."""
    ones = [
        rollout(1, turns=2, sample=0, anchors=("o", "x")),
        rollout(0, turns=2, sample=1, anchors=("o", "x")),
        rollout(1, turns=2, sample=2, anchors=("o", "y")),
        rollout(0, turns=2, sample=3, anchors=("o", "z")),
    ]
    episode = 0.5 / (np.sqrt(1 / 3) + EPS)
    opening = 0.475 / (0.95 * np.sqrt(1 / 3) + EPS)  # the return of the first step is discounted once
    met = 0.5 / (np.sqrt(0.5) + EPS)
    values = GiGPO(gamma=0.95).credit(ones).values
    assert values[0] == pytest.approx((episode + opening, episode + met))
    assert values[1] == pytest.approx((-episode - opening, -episode - met))
    assert values[2] == pytest.approx((episode + opening, episode))  # alone at y: no step advantage
    assert GiGPO(omega=0).credit(ones).values == GRPO().credit(ones).values


def test_graphgpo_by_hand() -> None:
    """o → x → goal, o → y → nowhere, o → x → nowhere: x is one step from success, y farther than all."""
    ones = [
        rollout(1, turns=2, sample=0, anchors=("o", "x"), success=True),
        rollout(0, turns=2, sample=1, anchors=("o", "y"), success=False),
        rollout(0, turns=2, sample=2, anchors=("o", "x"), success=False),
    ]
    edges = [("o", "x"), ("x", GOAL), ("o", "y"), ("y", None), ("o", "x"), ("x", None)]
    assert distances(edges) == {GOAL: 0, "x": 1, "o": 2}
    worth = {d: 10 * 0.95**d for d in (0, 1, 3)}  # unreachable: 2 + 1
    episode = _scaled([1, 0, 0])
    at_o, at_x = _scaled([worth[1], worth[3], worth[1]]), _scaled([worth[0], worth[3]])
    values = GraphGPO().credit(ones).values
    assert values[0] == pytest.approx((episode[0] + at_o[0], episode[0] + at_x[0]))
    assert values[1] == pytest.approx((episode[1] + at_o[1], episode[1]))
    assert values[2] == pytest.approx((episode[2] + at_o[2], episode[2] + at_x[1]))


def _scaled(numbers: list[float]) -> list[float]:
    array = np.array(numbers)
    return ((array - array.mean()) / (array.std(ddof=1) + EPS)).tolist()  # type: ignore[no-any-return]


def test_graphgpo_without_success_has_no_step_advantage() -> None:
    """There is no goal to be near to: the episode's advantage is left."""
    ones = [evolve(r, success=False) for r in group(0.8, 0.2, 0.0)]
    assert GraphGPO().credit(ones).values == GRPO().credit(ones).values


@pytest.mark.parametrize("trainer", METHODS, ids=lambda t: t.name)
def test_trap_14_nan_siblings_stay_out_of_the_baseline(trainer: Trainer) -> None:
    """The others' advantages are what they would be without it, and it gets none."""
    for spoilt in (nan, inf):
        numbers = first(trainer, group(1, spoilt, 0, 0.5))
        assert numbers[1] == 0
        assert [numbers[i] for i in (0, 2, 3)] == pytest.approx(first(trainer, group(1, 0, 0.5)))


@pytest.mark.parametrize("trainer", METHODS, ids=lambda t: t.name)
def test_trap_14_long_conversations_do_not_weigh_more_in_a_group_mean(trainer: Trainer) -> None:
    """One of ten turns counts once, like one of two."""
    long = [rollout(1, turns=10, sample=0, anchors=tuple(f"t{t}" for t in range(10)), success=True), *group(1, 0)[1:]]
    assert trainer.credit(long).values[0][-1] == pytest.approx(first(trainer, group(1, 0))[0], rel=0.5)
    if trainer.name in ("grpo", "dr_grpo"):
        assert first(trainer, long) == first(trainer, group(1, 0))


@pytest.mark.parametrize("trainer", [GiGPO(), GraphGPO()], ids=lambda t: t.name)
def test_trap_14_empty_turns_are_no_steps(trainer: Trainer) -> None:
    """A turn without a token has no sibling: the steps of the others are compared without it."""
    ones = group(1, 0, 0.5)
    silent = [*ones[:2], evolve(ones[2], tokens=(0, 3))]
    gone = [*ones[:2], evolve(ones[2], anchors=("elsewhere", "t1"), tokens=(2, 3))]
    assert trainer.credit(silent).values[0][0] == pytest.approx(trainer.credit(gone).values[0][0])
    assert trainer.credit(silent).values[2][0] == pytest.approx(GRPO().credit(ones).values[2][0])


@pytest.mark.parametrize("trainer", METHODS, ids=lambda t: t.name)
def test_a_group_of_one_has_no_advantage(trainer: Trainer) -> None:
    """Nor has one in which all are equal."""
    assert first(trainer, group(1)) == [0]
    assert first(trainer, group(1, 1, 1)) == pytest.approx([0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("trainer", METHODS, ids=lambda t: t.name)
@given(rollouts=updates(samples=3))
def test_groups_are_tasks(trainer: Trainer, rollouts: list[Rollout]) -> None:
    """What other tasks came to changes nothing; a group's episode advantages add up to 0."""
    alone = [r for r in rollouts if (r.scenario, r.world) == ("s0", "a")]
    whole = trainer.credit(rollouts).values
    mine = [row for row, r in zip(whole, rollouts, strict=True) if r in alone]
    for one, other in zip(mine, trainer.credit(alone).values, strict=True):
        assert one == pytest.approx(other, abs=1e-9)
    if trainer.name == "dr_grpo":
        assert sum(row[0] for row in mine) == pytest.approx(0, abs=1e-6)


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=8))
def test_normalised_numbers_have_mean_0(numbers: list[float]) -> None:
    """And deviation 1, nearly, where they vary enough."""
    found = normalised(np.array(numbers), [list(range(len(numbers)))], 1e-9)
    assert found.mean() == pytest.approx(0, abs=1e-4)
    if np.std(numbers) > 1e-3:
        assert found.std(ddof=1) == pytest.approx(1, abs=1e-4)


def test_equal_keys_are_gathered_in_order() -> None:
    """First come, first listed."""
    assert gathered("abcab") == [[0, 3], [1, 4], [2]]


@pytest.mark.parametrize("trainer", [GiGPO(), GraphGPO()], ids=lambda t: t.name)
def test_missing_anchors_are_refused(trainer: Trainer) -> None:
    """The conversation is named."""
    with pytest.raises(ValueError, match=f"{trainer.name} needs an anchor state .* s/a/first has 0 for 2"):
        trainer.credit([rollout(1, turns=2)])


def test_trap_15_ppo_keeps_every_turns_reward() -> None:
    """Nothing is moved to the end."""
    one = evolve(rollout(1, turns=3), rewards=(0.5, -1.0, 1.0))
    assert PPO().credit([one]).values == ((0.5, -1.0, 1.0),)


def test_what_they_ask_for() -> None:
    """Groups of four; anchors need probes, the others none; PPO sees the pairs that PaCPO sees."""
    assert {t.name: (t.sampling.plan, t.sampling.samples, t.sampling.probes) for t in METHODS} == {
        "grpo": ("groups", 4, False),
        "dr_grpo": ("groups", 4, False),
        "gigpo": ("groups", 4, True),
        "graphgpo": ("groups", 4, True),
    }
    assert (PPO().sampling.plan, PPO().sampling.samples, PPO().sampling.probes) == ("pairs", 2, False)
    assert not any(t.objective.critic for t in METHODS)
    assert PPO(level="token", gamma=0.9).objective.level == "token"


@pytest.mark.parametrize(
    "make", [lambda: GRPO(samples=1), lambda: GiGPO(gamma=2), lambda: GraphGPO(gamma=0), lambda: PPO(level="word")]
)
def test_options_out_of_range_are_refused(make: object) -> None:
    """By attrs' validators, as everywhere."""
    with pytest.raises(ValueError, match="must be"):
        make()  # type: ignore[operator]
