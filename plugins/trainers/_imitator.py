"""What the trainers that imitate share: which conversations they learn from, those that pass a stated filter."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, in_, le

from adidem.core.domain import Objective, Rollout, Rollouts, TurnCredit

GOAL, UNDERSTANDING, CONFUSION = "goal", "mutual_understanding", "unresolved_confusion"


@frozen
class Imitator:
    """`keep` says what decides: `ratings`, SocialVeil's filter (goal above `goal`, mutual understanding at least
    `understanding`, unresolved confusion at least `confusion`, higher is better in all three); `success`, Verified
    Success; `auto`, ratings where all three are there and else success. What is unscored passes nothing."""

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
        passing = [self.passes(rollout) for rollout in rollouts]
        values = tuple((float(ok),) * len(rollout.rewards) for ok, rollout in zip(passing, rollouts, strict=True))
        share = sum(passing) / len(passing) if passing else float("nan")
        return TurnCredit("weights", values, {"kept": share})

    def passes(self, rollout: Rollout) -> bool:
        """Whether the conversation is learned from."""
        found = {name: _rating(rollout, name) for name in (GOAL, UNDERSTANDING, CONFUSION)}
        rated = all(value is not None for value in found.values())
        if self.keep == "success" or (self.keep == "auto" and not rated):
            return rollout.success is True
        goal, understanding, confusion = (found[name] for name in (GOAL, UNDERSTANDING, CONFUSION))
        if goal is None or understanding is None or confusion is None:
            return False
        return goal > self.goal and understanding >= self.understanding and confusion >= self.confusion


def _rating(rollout: Rollout, dimension: str) -> float | None:
    """The rating on a dimension, whichever judge gave it; of several, the lowest."""
    found = [score for name, score in rollout.ratings.items() if name.rpartition(".")[2] == dimension]
    return min(found, default=None)
