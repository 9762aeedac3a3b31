"""From a trainer's credit per turn to a number per token: generalised advantages, whitening, what the critic is to say.

Only the policy's own tokens take part (`Trajectory.turns` ≥ 0): everything is computed on them alone, squeezed
together and laid back on their places, so that nothing at other places, a value of 100 say, can move anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from adidem.core.domain import Objective, TurnCredit
from adidem.core.errors import TrainingError
from adidem.core.training.contracts import Sample, Trajectory

Numbers = NDArray[np.float64]
TINY = 1e-8


@frozen(eq=False)
class Targets:
    """What the update makes of one conversation of n tokens: `mask` [n], the tokens that are trained on; `numbers` [n],
    their advantages (or, of imitation, their weights), 0 elsewhere; where there is a critic `places` [m], the tokens
    before which a value is due, `returns` [m], what it is to be, and `values` [m], what it was."""

    mask: NDArray[np.bool_]
    numbers: Numbers
    places: NDArray[np.intp]
    returns: Numbers
    values: Numbers


def value_places(trajectory: Trajectory, level: str) -> NDArray[np.intp]:
    """The tokens before which the critic values the state: each turn's first one, or each of the policy's tokens."""
    turns = np.asarray(trajectory.turns)
    if level == "token":
        return np.flatnonzero(turns >= 0)
    return np.array([place for place, _ in _spans(trajectory).values()], dtype=np.intp)


def targets(
    samples: Sequence[Sample],
    credit: TurnCredit,
    objective: Objective,
    values: Sequence[Numbers] | None = None,
    last: Sequence[float] | None = None,
) -> list[Targets]:
    """One Targets a conversation. `values` are the critic's at `value_places`, `last` its value of where a truncated
    conversation was cut; both only where the objective has a critic.

    Raises:
        TrainingError: credit that does not fit the turns, is no finite number, or lies on a turn without a token.
    """
    for sample, row in zip(samples, credit.values, strict=True):
        _check(sample, row)
    if objective.critic:
        if credit.kind != "rewards":
            raise TrainingError(f"a critic learns rewards, and this trainer's credit is {credit.kind}")
        assert values is not None, "the critic's values are given where there is a critic"
        return _with_critic(samples, credit, objective, values, last or [0.0] * len(samples))
    rows = [list(row) for row in credit.values]
    if objective.whiten and credit.kind != "weights":
        rows = _whitened(samples, rows, objective.level)
    nothing = np.zeros(0)
    return [
        Targets(_mask(s.trajectory), _on_tokens(s.trajectory, row), np.zeros(0, np.intp), nothing, nothing)
        for s, row in zip(samples, rows, strict=True)
    ]


def gae(
    rewards: Numbers, values: Numbers, lengths: NDArray[np.intp], last: Numbers, gamma: float, lam: float
) -> Numbers:
    """Generalised advantages (arXiv 1506.02438) of N sequences [N, T], of which row i has `lengths[i]` steps and goes
    on with a state worth `last[i]` (0: it ended): δ_t = r_t + γ·V_{t+1} − V_t, Â_t = δ_t + γλ·Â_{t+1}. What lies past
    a row's length moves nothing and comes out as 0."""
    found = np.zeros_like(rewards)
    following, ahead = last.astype(np.float64), np.zeros(len(rewards))
    for t in reversed(range(rewards.shape[1])):
        there = t < lengths
        delta = np.where(there, rewards[:, t] + gamma * following - values[:, t], 0.0)
        ahead = np.where(there, delta + gamma * lam * ahead, 0.0)
        following = np.where(there, values[:, t], following)
        found[:, t] = ahead
    return found


def whitened(numbers: Numbers, mask: NDArray[np.bool_]) -> Numbers:
    """Mean 0 and deviation 1 over what the mask holds, 0 elsewhere; numbers that do not vary become 0."""
    kept = numbers[mask]
    if kept.size == 0:
        return np.zeros_like(numbers)
    return np.where(mask, (numbers - kept.mean()) / (kept.std() + TINY), 0.0)


def explained_variance(found: Sequence[Targets]) -> float:
    """1 − Var(returns − values) / Var(returns): 1 is a perfect critic, 0 one that knows the mean alone; nan where
    returns do not vary."""
    returns = np.concatenate([t.returns for t in found]) if found else np.zeros(0)
    values = np.concatenate([t.values for t in found]) if found else np.zeros(0)
    if returns.size < 2 or np.ptp(returns) == 0:
        return float("nan")
    return float(1 - np.var(returns - values) / np.var(returns))


def _with_critic(
    samples: Sequence[Sample],
    credit: TurnCredit,
    objective: Objective,
    values: Sequence[Numbers],
    last: Sequence[float],
) -> list[Targets]:
    token = objective.level == "token"
    rows = [
        _at_last_tokens(s.trajectory, row) if token else _of_spoken(s.trajectory, row)
        for s, row in zip(samples, credit.values, strict=True)
    ]
    lengths = np.array([len(row) for row in rows], dtype=np.intp)
    rewards, before = _padded(rows), _padded(values)
    # What was cut off goes on; what ended is worth nothing more.
    after = np.array([v if s.rollout.truncated else 0.0 for v, s in zip(last, samples, strict=True)])
    advantages = gae(rewards, before, lengths, after, objective.gamma, objective.lam)
    returns = advantages + before
    if objective.whiten:
        advantages = whitened(advantages, np.arange(rewards.shape[1])[None, :] < lengths[:, None])
    found = []
    for i, sample in enumerate(samples):
        ours = advantages[i, : lengths[i]]
        numbers = _laid(sample.trajectory, ours) if token else _spread(sample.trajectory, ours)
        places = value_places(sample.trajectory, objective.level)
        found.append(
            Targets(_mask(sample.trajectory), numbers, places, returns[i, : lengths[i]], np.asarray(values[i]))
        )
    return found


def _check(sample: Sample, row: Sequence[float]) -> None:
    """Refuses credit that would be lost or would spoil everything."""
    rollout, spans = sample.rollout, _spans(sample.trajectory)
    who = f"{rollout.scenario}/{rollout.world}/{rollout.seat} sample {rollout.sample}"
    if len(row) != len(rollout.rewards):
        raise TrainingError(f"{who}: the trainer gave {len(row)} numbers for {len(rollout.rewards)} turns")
    for turn, number in enumerate(row):
        if not np.isfinite(number):
            raise TrainingError(f"{who}: the credit of turn {turn} is {number}")
        if number != 0 and turn not in spans:
            raise TrainingError(f"{who}: turn {turn} has credit {number} and no token of the policy to carry it")
    beyond = [turn for turn in spans if turn >= len(row)]
    if beyond:
        raise TrainingError(f"{who}: tokens belong to turn {beyond[0]}, and there are {len(row)} turns")


def _spans(trajectory: Trajectory) -> dict[int, tuple[int, int]]:
    """The first and last token of each policy turn that has any, in order."""
    found: dict[int, tuple[int, int]] = {}
    for place, turn in enumerate(trajectory.turns):
        if turn >= 0:
            found[turn] = (found[turn][0] if turn in found else place, place)
    return found


def _mask(trajectory: Trajectory) -> NDArray[np.bool_]:
    return np.asarray(trajectory.turns) >= 0


def _on_tokens(trajectory: Trajectory, row: Sequence[float]) -> Numbers:
    """A turn's number on each of its tokens, 0 on those that are nobody's."""
    turns = np.asarray(trajectory.turns)
    return np.where(turns >= 0, np.asarray([*row, 0.0])[turns], 0.0)


def _of_spoken(trajectory: Trajectory, row: Sequence[float]) -> Numbers:
    """The numbers of the turns that have tokens."""
    return np.array([row[turn] for turn in _spans(trajectory)], dtype=np.float64)


def _spread(trajectory: Trajectory, spoken: Numbers) -> Numbers:
    found = np.zeros(len(trajectory.ids))
    turns = np.asarray(trajectory.turns)
    for turn, number in zip(_spans(trajectory), spoken, strict=True):
        found[turns == turn] = number
    return found


def _at_last_tokens(trajectory: Trajectory, row: Sequence[float]) -> Numbers:
    """A turn's reward on its last token, squeezed to the policy's tokens."""
    found = np.zeros(len(trajectory.ids))
    for turn, (_, end) in _spans(trajectory).items():
        found[end] = row[turn]
    return found[_mask(trajectory)]


def _laid(trajectory: Trajectory, squeezed: Numbers) -> Numbers:
    found = np.zeros(len(trajectory.ids))
    found[_mask(trajectory)] = squeezed
    return found


def _padded(rows: Sequence[Numbers]) -> Numbers:
    found = np.zeros((len(rows), max((len(row) for row in rows), default=0)))
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


def _whitened(samples: Sequence[Sample], rows: list[list[float]], level: str) -> list[list[float]]:
    """Advantages of turns as a trainer gave them: over turns, or with each turn counted once a token."""
    counts = [
        np.bincount([t for t in s.trajectory.turns if t >= 0], minlength=len(r))
        for s, r in zip(samples, rows, strict=True)
    ]
    weight = np.concatenate([c if level == "token" else np.minimum(c, 1) for c in counts]).astype(np.float64)
    flat = np.concatenate([np.asarray(row, dtype=np.float64) for row in rows])
    mean = np.average(flat, weights=weight)
    deviation = np.sqrt(np.average((flat - mean) ** 2, weights=weight))
    ends = np.cumsum([len(row) for row in rows])[:-1]
    return [part.tolist() for part in np.split((flat - mean) / (deviation + TINY), ends)]
