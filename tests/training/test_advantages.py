"""From credit to a number per token: GAE by hand, whitening, and the traps of masks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Objective, Rollout, TurnCredit
from adidem.core.errors import TrainingError
from adidem.core.training.advantages import explained_variance, gae, targets, value_places, whitened
from adidem.core.training.contracts import Sample
from rollouts import rollout, sample

TURN = Objective(critic=True, lam=0.5)
TOKEN = Objective(critic=True, level="token", lam=0.5)


def rewarded(*rows: Sequence[float]) -> tuple[list[Sample], TurnCredit]:
    """Conversations with these rewards a turn, two tokens each."""
    ones = [evolve(rollout(turns=len(row)), rewards=tuple(row)) for row in rows]
    return [sample(one) for one in ones], TurnCredit("rewards", tuple(tuple(row) for row in rows))


def test_turn_level_gae_by_hand() -> None:
    """Three turns, λ = ½: each turn's number on all its tokens, nothing on the others'."""
    samples, credit = rewarded([0.0, 0.0, 1.0])
    (found,) = targets(samples, credit, TURN, [np.array([0.5, 0.25, 0.0])])
    third = 1.0 - 0.0
    second = (0.0 - 0.25) + 0.5 * third
    first = (0.25 - 0.5) + 0.5 * second
    turns = np.array(samples[0].trajectory.turns)
    for turn, number in enumerate((first, second, third)):
        assert found.numbers[turns == turn] == pytest.approx([number] * 2)
    assert not found.numbers[turns < 0].any()
    assert found.returns == pytest.approx([first + 0.5, second + 0.25, third])
    assert list(found.places) == [3, 7, 11]


def test_trap_6_the_last_turns_reward_sits_on_its_last_token() -> None:
    """At token level: γ discounts it over the record's own tokens."""
    samples, credit = rewarded([0.0, 1.0])
    objective = evolve(TOKEN, gamma=0.5, lam=1.0)
    (found,) = targets(samples, credit, objective, [np.zeros(4)])
    assert found.numbers[found.mask] == pytest.approx([0.125, 0.25, 0.5, 1.0])
    assert list(found.places) == [3, 4, 7, 8]


def test_trap_15_a_turns_own_reward_is_not_overwritten_by_the_last_one() -> None:
    """λ = 1, no critic's help: returns to go hold every turn's reward."""
    samples, credit = rewarded([0.5, -1.0, 2.0])
    for objective, count in ((TURN, 1), (TOKEN, 2)):
        (found,) = targets(samples, credit, evolve(objective, lam=1.0), [np.zeros(3 * count)])
        assert found.returns[::count] == pytest.approx([1.5, 1.0, 2.0])


def test_a_turn_whose_credit_is_0_is_a_turn_all_the_same() -> None:
    """Boundaries come from turn ids: shaping is often 0."""
    samples, credit = rewarded([0.0, 0.0, 0.0])
    (found,) = targets(samples, credit, TURN, [np.array([1.0, 2.0, 3.0])])
    assert len(found.places) == 3


@given(st.integers(0, 6), st.floats(-100, 100))
def test_trap_5_a_value_on_masked_tokens_moves_nothing(context: int, value: float) -> None:
    """Values exist at the policy's places alone; longer contexts and whatever stands there change no number."""
    one = rollout(turns=2)
    plain, longer = sample(one), sample(one, context=3 + context, partner=1 + context)
    credit = TurnCredit("rewards", ((0.0, 1.0),))
    for objective in (TURN, TOKEN):
        values = [np.linspace(0, 1, len(value_places(plain.trajectory, objective.level)))]
        a = targets([plain], credit, objective, values)[0]
        b = targets([longer], credit, objective, values)[0]
        assert a.numbers[a.mask] == pytest.approx(b.numbers[b.mask])
        assert not b.numbers[~b.mask].any()
    padded = gae(np.array([[1.0, value]]), np.array([[0.5, value]]), np.array([1]), np.zeros(1), 1, 1)
    assert padded.tolist() == [[0.5, 0.0]]


def test_trap_13_what_was_cut_off_goes_on_and_what_ended_does_not() -> None:
    """The value of where it was cut counts as if the conversation went on."""
    samples, credit = rewarded([0.0, 0.0], [0.0, 0.0])
    samples[1] = Sample(samples[1].trajectory, evolve(samples[1].rollout, truncated=True))
    values = [np.zeros(2), np.zeros(2)]
    ended, cut = targets(samples, credit, evolve(TURN, lam=1.0), values, last=[0.5, 0.5])
    assert ended.returns == pytest.approx([0, 0])
    assert cut.returns == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    ("credit", "said"),
    [
        (TurnCredit("rewards", ((0.0, 1.0, 2.0),)), "gave 3 numbers for 2 turns"),
        (TurnCredit("rewards", ((0.0, float("nan")),)), "the credit of turn 1 is nan"),
        (TurnCredit("advantages", ((0.0, float("inf")),)), "the credit of turn 1 is inf"),
    ],
)
def test_credit_that_does_not_fit_is_refused(credit: TurnCredit, said: str) -> None:
    """With the conversation's name."""
    objective = TURN if credit.kind == "rewards" else Objective()
    with pytest.raises(TrainingError, match=f"s/a/first sample 0: .*{said}"):
        targets([sample(rollout(turns=2))], credit, objective, [np.zeros(2)])


def test_a_reward_on_a_masked_slot_is_refused_and_not_lost() -> None:
    """A turn without a token cannot carry it; one that has none to carry may be empty."""
    empty = sample(rollout(turns=2), tokens=[0, 2])
    with pytest.raises(TrainingError, match=r"turn 0 has credit 0\.5 and no token"):
        targets([empty], TurnCredit("rewards", ((0.5, 1.0),)), TURN, [np.zeros(1)])
    (found,) = targets([empty], TurnCredit("rewards", ((0.0, 1.0),)), TURN, [np.zeros(1)])
    assert found.numbers[found.mask] == pytest.approx([1, 1])


def test_a_critic_learns_rewards_alone() -> None:
    """Advantages and a critic contradict each other."""
    with pytest.raises(TrainingError, match="a critic learns rewards"):
        targets([sample(rollout(turns=1))], TurnCredit("advantages", ((1.0,),)), TURN, [np.zeros(1)])


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=12), st.data())
def test_trap_3_whitening_looks_at_the_mask_alone(numbers: list[float], data: st.DataObject) -> None:
    """Mean 0 and deviation 1 over what is trained on, 0 elsewhere, whatever stood there."""
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(numbers), max_size=len(numbers))))
    array = np.array(numbers)
    found = whitened(array, mask)
    assert not found[~mask].any()
    assert found == pytest.approx(whitened(np.where(mask, array, 1e6), mask))
    if mask.sum() > 1 and array[mask].std() > 1e-3:
        assert (found[mask].mean(), found[mask].std()) == (pytest.approx(0, abs=1e-5), pytest.approx(1, abs=1e-4))


def test_turn_level_whitening_counts_turns_and_token_level_tokens() -> None:
    """A turn of nine tokens weighs like one of one, at turn level."""
    one = sample(rollout(turns=2), tokens=[9, 1])
    credit = TurnCredit("advantages", ((1.0, 0.0),))
    by_turn = targets([one], credit, Objective(whiten=True))[0]
    by_token = targets([one], credit, Objective(whiten=True, level="token"))[0]
    assert by_turn.numbers[by_turn.mask] == pytest.approx([1.0] * 9 + [-1.0], abs=1e-5)
    assert by_token.numbers[by_token.mask].mean() == pytest.approx(0, abs=1e-6)
    shaped = targets([one], TurnCredit("rewards", ((1.0, 0.0),)), evolve(TURN, whiten=True), [np.array([0.0, 0.0])])[0]
    assert shaped.numbers[shaped.mask] == pytest.approx([1.0] * 9 + [-1.0], abs=1e-5)


def test_weights_are_no_advantages() -> None:
    """Imitation's weights are left as they are."""
    (found,) = targets([sample(rollout(turns=2))], TurnCredit("weights", ((1.0, 0.0),)), Objective(whiten=True))
    assert found.numbers[found.mask].tolist() == [1, 1, 0, 0]


def test_explained_variance() -> None:
    """1 of a perfect critic, 0 of the mean, nan where nothing varies."""
    samples, credit = rewarded([0.0, 1.0], [0.0, 0.0])
    ones = [rollout(1.0, turns=1), rollout(0.0, turns=1)]
    credit = TurnCredit("rewards", ((1.0,), (0.0,)))
    samples = [sample(one) for one in ones]
    perfect = targets(samples, credit, TURN, [np.array([1.0]), np.array([0.0])])
    flat = targets(samples, credit, TURN, [np.array([0.5]), np.array([0.5])])
    assert (explained_variance(perfect), explained_variance(flat)) == (1, 0)
    assert np.isnan(explained_variance(targets(samples[:1], TurnCredit("rewards", ((1.0,),)), TURN, [np.array([1.0])])))


def test_two_ways_of_gae_agree_where_turns_have_one_token() -> None:
    """Token level is turn level then."""
    ones: list[Rollout] = [evolve(rollout(turns=3), rewards=(0.3, -0.2, 1.0))]
    samples, credit = [sample(one, [1, 1, 1]) for one in ones], TurnCredit("rewards", ((0.3, -0.2, 1.0),))
    values = [np.array([0.1, 0.4, 0.7])]
    a, b = (targets(samples, credit, objective, values)[0] for objective in (TURN, TOKEN))
    assert a.numbers == pytest.approx(b.numbers)
    assert a.returns == pytest.approx(b.returns)
