"""Which conversations imitation learns from: those that pass a stated filter, on what judges or rules said of them."""

from __future__ import annotations

from attrs import frozen

from adidem.core.domain import Rollout, Rollouts, TurnCredit

GOAL, UNDERSTANDING, CONFUSION = "goal", "mutual_understanding", "unresolved_confusion"


@frozen
class Filter:
    """`by` says what decides: `ratings`, SocialVeil's filter (goal above `goal`, mutual understanding at least
    `understanding`, unresolved confusion at least `confusion`, higher is better in all three); `success`, Verified
    Success; `auto`, ratings where all three are there and else success. What is unscored passes nothing."""

    by: str
    goal: float
    understanding: float
    confusion: float

    def passes(self, rollout: Rollout) -> bool:
        """Whether the conversation is learned from."""
        found = {name: _rating(rollout, name) for name in (GOAL, UNDERSTANDING, CONFUSION)}
        rated = all(value is not None for value in found.values())
        if self.by == "success" or (self.by == "auto" and not rated):
            return rollout.success is True
        goal, understanding, confusion = (found[name] for name in (GOAL, UNDERSTANDING, CONFUSION))
        if goal is None or understanding is None or confusion is None:
            return False
        return goal > self.goal and understanding >= self.understanding and confusion >= self.confusion


def weights(rollouts: Rollouts, kept: Filter) -> TurnCredit:
    """Weight 1 for every turn of a conversation that passes, 0 for the rest."""
    passing = [kept.passes(rollout) for rollout in rollouts]
    values = tuple((float(ok),) * len(rollout.rewards) for ok, rollout in zip(passing, rollouts, strict=True))
    share = sum(passing) / len(passing) if passing else float("nan")
    return TurnCredit("weights", values, {"kept": share})


def _rating(rollout: Rollout, dimension: str) -> float | None:
    """The rating on a dimension, whichever judge gave it; of several, the lowest."""
    found = [score for name, score in rollout.ratings.items() if name.rpartition(".")[2] == dimension]
    return min(found, default=None)
