"""Behaviour cloning (SocialVeil, arXiv 2602.05115, interactive learning, first half): a strong agent plays the tested
seat, the conversations that pass a filter are kept, and the policy learns to say what was said in them.

    L = −Σ_i Σ_t w_i · log π(a_{i,t}) / Σ_i Σ_t w_i,   w_i = 1 where conversation i passes, else 0

The published filter is goal > 5, mutual understanding ≥ 3, unresolved confusion ≥ 2 (higher is better); where there are
no such ratings, Verified Success decides. Who demonstrates is the recipe's `demonstrator`.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from attrs import field, frozen
from attrs.validators import ge, in_, le

from adidem.core.contracts import Trainer
from adidem.core.domain import Objective, Rollouts, Sampling, TurnCredit
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.trainers._kept import Filter, weights


@frozen
class BC:
    """Behaviour cloning: imitation of a demonstrator's conversations that pass a filter."""

    name: ClassVar[str] = "bc"
    samples: int = field(default=2, validator=[ge(1), le(64)], metadata={"doc": "demonstrations in each world"})
    keep: Literal["auto", "ratings", "success"] = field(
        default="auto", validator=in_(["auto", "ratings", "success"]), metadata={"doc": "what the filter looks at"}
    )
    goal: float = field(default=5.0, validator=[ge(0), le(10)], metadata={"doc": "goal must be above"})
    understanding: float = field(default=3.0, validator=[ge(1), le(5)], metadata={"doc": "must be at least"})
    confusion: float = field(default=2.0, validator=[ge(1), le(5)], metadata={"doc": "must be at least"})

    @property
    def sampling(self) -> Sampling:
        """The demonstrator plays."""
        return Sampling("pairs", self.samples, source="demonstrator")

    @property
    def objective(self) -> Objective:
        """Weighted log-likelihood."""
        return Objective(loss="likelihood")

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """1 for the turns of what is kept, 0 for the rest."""
        return weights(rollouts, Filter(self.keep, self.goal, self.understanding, self.confusion))


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """Behaviour cloning."""
    register(BC)
