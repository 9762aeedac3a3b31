"""What the group methods share: the rollouts of one task, and numbers normalised among those that belong together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

from adidem.core.domain import Rollout, Rollouts
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
else:
    np = LazyModule("numpy")


def task_of(rollout: Rollout) -> Hashable:
    """What the samples of a group have in common: scenario, world and tested seat."""
    return rollout.scenario, rollout.world, rollout.seat


def gathered(keys: Iterable[Hashable]) -> list[list[int]]:
    """The places of equal keys, in the order in which each key came first."""
    places: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return list(places.values())


def totals(rollouts: Rollouts) -> Numbers:
    """The undiscounted return of each conversation [N]; every conversation is one number, however long it was."""
    return np.array([sum(rollout.rewards) for rollout in rollouts], dtype=np.float64)


def normalised(values: Numbers, groups: Sequence[Sequence[int]], eps: float | None) -> Numbers:
    """(x − mean) / (deviation + eps) within each group, or x − mean where `eps` is None; the deviation is that of a
    sample (n − 1). A value that is no finite number stays out of its group's mean and gets 0, and so does one that is
    alone: a group of one has no advantage."""
    found = np.zeros_like(values)
    for group in groups:
        places = np.array([place for place in group if np.isfinite(values[place])], dtype=np.intp)
        if len(places) < 2:
            continue
        centred = values[places] - values[places].mean()
        found[places] = centred if eps is None else centred / (values[places].std(ddof=1) + eps)
    return found


def even(values: Numbers, groups: Sequence[Sequence[int]]) -> float:
    """The share of groups in which every finite value is the same: they teach nothing."""
    flat = [np.ptp(kept) == 0 if len(kept := values[group][np.isfinite(values[group])]) else True for group in groups]
    return float(np.mean(flat)) if flat else float("nan")


def on_every_turn(numbers: Numbers, rollouts: Rollouts) -> tuple[tuple[float, ...], ...]:
    """One number a conversation, on each of its policy turns."""
    return tuple((float(x),) * len(r.rewards) for x, r in zip(numbers, rollouts, strict=True))


def laid_out(numbers: Numbers, rollouts: Rollouts) -> tuple[tuple[float, ...], ...]:
    """Numbers of all turns in one row, cut into conversations again."""
    ends = np.cumsum([len(rollout.rewards) for rollout in rollouts])
    return tuple(tuple(part.tolist()) for part in np.split(numbers, ends[:-1])) if len(ends) else ()


def anchors(rollouts: Rollouts, method: str) -> list[tuple[str, ...]]:
    """The anchor states of each conversation, one before each policy turn. Raises ValueError where they are missing."""
    for rollout in rollouts:
        if len(rollout.anchors) != len(rollout.rewards):
            raise ValueError(
                f"{method} needs an anchor state before each policy turn: {rollout.scenario}/{rollout.world}/"
                f"{rollout.seat} has {len(rollout.anchors)} for {len(rollout.rewards)} turns"
            )
    return [rollout.anchors for rollout in rollouts]
