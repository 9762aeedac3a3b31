"""What the trainers that imitate share: which conversations they learn from, those that pass a stated filter."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, in_, le

from adidem.core.domain import Objective, Rollout, Rollouts, TurnCredit

GOAL, UNDERSTANDING, CONFUSION = "goal", "mutual_understanding", "unresolved_confusion"
Ratings = tuple[float, float, float]


@frozen
class Imitator:
    """`keep` says what decides: `ratings`, SocialVeil's filter (goal above `goal`, mutual understanding at least
    `understanding`, unresolved confusion at least `confusion`, higher is better in all three); `success`, Verified
    Success; `auto`, ratings in an update in which anything has all three, and else success. What is unscored passes
    neither: where ratings decide, a conversation that a judge failed to rate is not let in by another measure."""

    samples: int = field(default=2, validator=[ge(1), le(64)], metadata={"doc": "conversations in each world"})
    keep: Literal["auto", "ratings", "success"] = field(
        default="auto", validator=in_(["auto", "ratings", "success"]), metadata={"doc": "what the filter looks at"}
    )
    goal: float = field(default=5.0, validator=[ge(0), le(10)], metadata={"doc": "goal must be above"})
    understanding: float = field(default=3.0, validator=[ge(1), le(5)], metadata={"doc": "must be at least"})
    confusion: float = field(default=2.0, validator=[ge(1), le(5)], metadata={"doc": "must be at least"})

    @property
    def objective(self) -> Objective:
        """Weighted log-likelihood."""
        return Objective(loss="likelihood")

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """Weight 1 for every turn of a conversation that passes, 0 for the rest."""
        rated = [_ratings(rollout) for rollout in rollouts]
        by_ratings = self.keep == "ratings" or (self.keep == "auto" and any(each is not None for each in rated))
        passing = [
            self.passes(ratings) if by_ratings else rollout.success is True
            for rollout, ratings in zip(rollouts, rated, strict=True)
        ]
        values = tuple((float(ok),) * len(rollout.rewards) for ok, rollout in zip(passing, rollouts, strict=True))
        share = sum(passing) / len(passing) if passing else float("nan")
        unrated = rated.count(None)
        told = {"unrated": unrated / len(rated)} if by_ratings and unrated else {}
        return TurnCredit("weights", values, {"kept": share, **told})

    def passes(self, ratings: Ratings | None) -> bool:
        """Whether a conversation of these ratings is learned from; one that lacks any is not."""
        if ratings is None:
            return False
        goal, understanding, confusion = ratings
        return goal > self.goal and understanding >= self.understanding and confusion >= self.confusion


def _ratings(rollout: Rollout) -> Ratings | None:
    """Goal, mutual understanding and unresolved confusion; None where one of them is missing."""
    goal, understanding, confusion = (_rating(rollout, name) for name in (GOAL, UNDERSTANDING, CONFUSION))
    if goal is None or understanding is None or confusion is None:
        return None
    return goal, understanding, confusion


def _rating(rollout: Rollout, dimension: str) -> float | None:
    """The rating on a dimension, whichever judge gave it; of several, the lowest."""
    found = [score for name, score in rollout.ratings.items() if name.rpartition(".")[2] == dimension]
    return min(found, default=None)
