"""PaCPO: the laws of its credit, its decisions one by one, and its ablations."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Objective, Rollout, TurnCredit
from adidem.core.training.advantages import targets
from adidem.plugins.trainers.pacpo import PaCPO
from rollouts import FITS, MISFITS, UNREADABLE, probe, rollout, sample, updates

BOTH = (True, True)
trainers = st.builds(
    PaCPO,
    candidate=st.sampled_from(["other_world", "same_world"]),
    order=st.sampled_from(["in_place", "shuffled"]),
    gate=st.sampled_from(["disclosure", "open"]),
)


def potential(credit: TurnCredit, rollouts: list[Rollout]) -> list[list[float]]:
    """Φ after each utterance, from the rewards as credited."""
    moved = [np.subtract(c, r.rewards) for c, r in zip(credit.values, rollouts, strict=True)]
    return [np.cumsum(row)[:-1].round(6).tolist() for row in moved]


def phi(trainer: PaCPO, *rollouts: Rollout) -> list[list[float]]:
    """Φ of hand-made conversations."""
    return potential(trainer.credit(list(rollouts)), list(rollouts))


@given(updates(), trainers)
def test_credit_leaves_the_sum_of_rewards(rollouts: list[Rollout], trainer: PaCPO) -> None:
    """Σr' = Σr for any Φ, in every ablation; shuffled credit keeps the sum."""
    for row, one in zip(trainer.credit(rollouts).values, rollouts, strict=True):
        assert len(row) == len(one.rewards)
        assert sum(row) == pytest.approx(sum(one.rewards), abs=1e-9)


@given(updates())
def test_shuffled_credit_is_dealt_anew_and_keeps_its_sum(rollouts: list[Rollout]) -> None:
    """The Φ of a conversation are the same numbers in another order, the same again for the same seed."""
    straight, dealt = PaCPO(), PaCPO(order="shuffled")
    for one, other in zip(phi(straight, *rollouts), phi(dealt, *rollouts), strict=True):
        assert sorted(one) == pytest.approx(sorted(other))
    assert phi(dealt, *rollouts) == phi(dealt, *rollouts)


def test_shuffled_credit_really_moves() -> None:
    """Of many conversations whose first turn alone earns credit, most have it elsewhere."""
    ones = [rollout(1, [probe(FITS), *[probe(MISFITS)] * 4], sample=k, tokens=(k,) * 6) for k in range(20)]
    assert sum(row[0] == 0 for row in phi(PaCPO(order="shuffled"), *ones)) > 10


@given(updates())
def test_swapping_the_worlds_swaps_the_credit(rollouts: list[Rollout]) -> None:
    """Nothing hangs on which world is called a."""
    swapped = [evolve(r, world="b" if r.world == "a" else "a") for r in rollouts]
    assert PaCPO().credit(rollouts).values == PaCPO().credit(swapped).values


@given(updates(), st.randoms())
def test_the_order_of_the_rollouts_is_nothing(rollouts: list[Rollout], random: object) -> None:
    """Partners are found by name, not by place."""
    order = list(range(len(rollouts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight, mixed = PaCPO().credit(rollouts).values, PaCPO().credit([rollouts[i] for i in order]).values
    assert [straight[i] for i in order] == list(mixed)


@given(updates())
def test_a_gate_that_never_opens_leaves_only_within(rollouts: list[Rollout]) -> None:
    """Without disclosure Φ is w·within, and so it is with p = 0."""
    shut = [evolve(r, probes=tuple(evolve(p, disclosed=False) for p in r.probes)) for r in rollouts]
    assert PaCPO().credit(shut).values == PaCPO(paired=0).credit(rollouts).values
    for row, one in zip(phi(PaCPO(), *shut), shut, strict=True):
        assert row == pytest.approx([0.25 * (p.within is True) for p in one.probes])


@given(updates(), st.data())
def test_with_values_fixed_the_advantage_loses_the_potential_before(
    rollouts: list[Rollout], data: st.DataObject
) -> None:
    """γ = λ = 1 and V fixed: A'_t = A_t − Φ_{t−1} exactly."""
    values = [
        np.array(data.draw(st.lists(st.floats(-1, 1), min_size=len(r.rewards), max_size=len(r.rewards))))
        for r in rollouts
    ]
    plain, shaped = _advantages(rollouts, values, values, 1.0)
    for a, b, row in zip(plain, shaped, phi(PaCPO(), *rollouts), strict=True):
        assert b == pytest.approx(a - np.array([0, *row]), abs=1e-6)


@given(updates(), st.data(), st.floats(0, 1))
def test_with_values_less_the_potential_shaping_is_nothing(
    rollouts: list[Rollout], data: st.DataObject, lam: float
) -> None:
    """V' = V − Φ_{t−1}: GAE is the same for every λ."""
    values = [
        np.array(data.draw(st.lists(st.floats(-1, 1), min_size=len(r.rewards), max_size=len(r.rewards))))
        for r in rollouts
    ]
    less = [v - np.array([0, *row]) for v, row in zip(values, phi(PaCPO(), *rollouts), strict=True)]
    plain, shaped = _advantages(rollouts, values, less, lam)
    for a, b in zip(plain, shaped, strict=True):
        assert b == pytest.approx(a, abs=1e-6)


def _advantages(
    rollouts: list[Rollout], values: list[np.ndarray], theirs: list[np.ndarray], lam: float
) -> tuple[list, list]:  # type: ignore[type-arg]
    """A number a turn: of the rewards as they are with `values`, and as credited with `theirs`."""
    samples, objective = [sample(r, [1] * len(r.rewards)) for r in rollouts], Objective(critic=True, lam=lam)
    rewards = TurnCredit("rewards", tuple(r.rewards for r in rollouts))
    found = (
        targets(samples, rewards, objective, values),
        targets(samples, PaCPO().credit(rollouts), objective, theirs),
    )
    return tuple([t.numbers[t.mask] for t in each] for each in found)  # type: ignore[return-value]


def test_by_hand() -> None:
    """Two turns and a record in each world; the plan of b fits nowhere here until its second turn."""
    a = rollout(1.0, [probe(BOTH), probe(FITS)], world="a")
    b = rollout(0.2, [probe(FITS), probe(MISFITS)], world="b")
    credit = PaCPO().credit([a, b])
    # a, turn 1: within, and b's plan (fits b, not a) is elsewhere False: paired. Turn 2: b's plan fits a: not paired.
    assert credit.values[0] == pytest.approx((0.35, 0.25 - 0.35, 1.0 - 0.25))
    # b, turn 1: within, but a's plan fits b too. Turn 2: not within.
    assert credit.values[1] == pytest.approx((0.25, 0.0 - 0.25, 0.2))
    found = credit.diagnostics
    assert (found["within"], found["paired"], found["paired_of_within"]) == pytest.approx((3 / 4, 1 / 4, 1 / 3))
    assert (found["gate"], found["readable"], found["unpaired"]) == (1, 1, 0)
    after, shaped = np.array([1, 1, 0.2, 0.2]), np.array([0.35, 0.25, 0.25, 0])
    assert found["corr_phi_return"] == pytest.approx(np.corrcoef(shaped, after)[0, 1])
    assert found["variance_left"] == pytest.approx(np.var(after - shaped) / np.var(after))


def test_a_finished_conversations_last_probe_and_gate_carry_forward() -> None:
    """Unequal lengths: b ends after one turn, and stays where it was for a's third."""
    b = rollout(1, [probe(FITS)], world="b")
    a = rollout(1, [probe(FITS)] * 3, world="a")
    assert phi(PaCPO(), a, b)[0] == [0.35, 0.35, 0.35]
    shut = evolve(b, probes=(probe(FITS, disclosed=False),))
    assert phi(PaCPO(), a, shut)[0] == [0.25, 0.25, 0.25]
    assert phi(PaCPO(), a, evolve(b, probes=(probe(BOTH),)))[0] == [0.25, 0.25, 0.25]


def test_a_conversation_without_an_utterance_pairs_with_nobody() -> None:
    """Its partner walked out at once: there is no plan that could misfit, and no gate."""
    a, b = rollout(1, [probe(FITS)], world="a"), rollout(0, [], world="b")
    assert phi(PaCPO(), a, b) == [[0.25], []]


def test_an_unreadable_plan_earns_nothing_on_either_side() -> None:
    """Within nothing itself, and no paired credit for the other world."""
    a, b = rollout(1, [probe(FITS)], world="a"), rollout(1, [probe(UNREADABLE)], world="b")
    assert phi(PaCPO(), a, b) == [[0.25], [0.0]]


@pytest.mark.parametrize(("own", "other"), [(True, False), (False, True), (False, False)])
def test_the_gate_needs_disclosure_in_both_conversations(own: bool, other: bool) -> None:
    """One side alone does not open it; the ablation is open from the start."""
    pair = rollout(1, [probe(FITS, own)], world="a"), rollout(1, [probe(FITS, other)], world="b")
    assert phi(PaCPO(), *pair) == [[0.25], [0.25]]
    assert phi(PaCPO(gate="open"), *pair) == [[0.35], [0.35]]


def test_the_same_world_candidate_is_another_sample_of_this_world() -> None:
    """Its plan must misfit this world; what the other world does is nothing, save for the gate."""
    ones = [rollout(1, [probe(FITS)], sample=0), rollout(1, [probe(MISFITS)], sample=1)]
    others = [rollout(1, [probe(BOTH)], world="b", sample=k) for k in range(2)]
    assert phi(PaCPO(candidate="same_world"), *ones, *others) == [[0.35], [0.0], [0.25], [0.25]]
    assert phi(PaCPO(), *ones, *others) == [[0.25], [0.0], [0.35], [0.25]]


def test_a_conversation_without_its_partner_earns_within() -> None:
    """And the share of such is told."""
    credit = PaCPO().credit([rollout(1, [probe(FITS)])])
    assert credit.values == ((0.25, 0.75),)
    assert credit.diagnostics["unpaired"] == 1


def test_trap_15_intermediate_rewards_stay_what_they_are() -> None:
    """A reward of an earlier turn is shaped, not overwritten by the terminal one."""
    one = evolve(rollout(1, [probe(MISFITS)] * 2), rewards=(0.5, -0.25, 1.0))
    assert PaCPO().credit([one]).values == ((0.5, -0.25, 1.0),)


@pytest.mark.parametrize(
    ("rollouts", "said"),
    [
        ([rollout(1, turns=3)], "needs a probe after each utterance: s/a/first has 0 for 2"),
        ([rollout(1, [probe()]), rollout(0, [probe()])], "is there twice"),
    ],
)
def test_what_cannot_be_paired_is_refused(rollouts: list[Rollout], said: str) -> None:
    """Missing probes and doubles are named."""
    with pytest.raises(ValueError, match=said):
        PaCPO().credit(rollouts)


@pytest.mark.parametrize(
    "wrong", [{"within": -1}, {"candidate": "both"}, {"order": "x"}, {"gate": 1}, {"lam": 1.1}, {"probe": "mid"}]
)
def test_options_are_checked(wrong: dict[str, object]) -> None:
    """Each ablation has its two values, each weight its range."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PaCPO(**wrong)  # type: ignore[arg-type]


def test_what_it_asks_for() -> None:
    """Pairs with probes where the option says; γ is 1."""
    sampling, objective = PaCPO(probe="reply").sampling, PaCPO(lam=0.5).objective
    assert (sampling.plan, sampling.samples, sampling.probes, sampling.probe_at) == ("pairs", 2, True, "reply")
    assert (objective.critic, objective.gamma, objective.lam, objective.whiten) == (True, 1.0, 0.5, True)


def test_nothing_at_all_is_credited_with_nothing() -> None:
    """An update of no conversation, and diagnostics that are undefined and not 0."""
    credit = PaCPO().credit([])
    assert credit.values == ()
    assert all(np.isnan(number) for number in credit.diagnostics.values())


def test_an_updates_credit_takes_milliseconds() -> None:
    """384 conversations of 8 turns; the bound of 50 ms is measured in benchmarks/credit.py, here a wide one."""
    ones = [
        rollout(k % 2, [probe(FITS if (k + t) % 3 else MISFITS) for t in range(7)], world=w, sample=k, scenario=f"s{s}")
        for s in range(96)
        for w in "ab"
        for k in range(2)
    ]
    started = perf_counter()
    PaCPO().credit(ones)
    assert perf_counter() - started < 1.0
