"""Dr.GRPO, GRPO done right (arXiv 2503.20783): no division by the deviation, which favours tasks that are nearly always
or nearly never solved, and none by the conversation's own length, which favours long failures.

    Â_i = R_i − mean_g R,   L = −(1 / (B · L_max)) Σ_i Σ_t min(ρ·Â, clip(ρ)·Â)

L_max is the most tokens that a conversation may have (`Objective.reduce = fixed`).
"""

from __future__ import annotations

from typing import ClassVar

from attrs import field, frozen
from attrs.validators import ge, le

from adidem.core.contracts import Trainer
from adidem.core.domain import Objective, Rollouts, Sampling, TurnCredit
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.trainers._groups import even, gathered, normalised, on_every_turn, task_of, totals


@frozen
class DrGRPO:
    """GRPO without the two biases: no deviation, and a fixed length in the denominator."""

    name: ClassVar[str] = "dr_grpo"
    samples: int = field(default=4, validator=[ge(2), le(64)], metadata={"doc": "G, conversations of one group"})

    @property
    def sampling(self) -> Sampling:
        """Groups."""
        return Sampling("groups", self.samples)

    @property
    def objective(self) -> Objective:
        """Clipped, no critic, a fixed denominator."""
        return Objective(reduce="fixed")

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """The centred return of each conversation, on all its turns."""
        returns, groups = totals(rollouts), gathered(map(task_of, rollouts))
        advantages = normalised(returns, groups, None)
        return TurnCredit("advantages", on_every_turn(advantages, rollouts), {"even_groups": even(returns, groups)})


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """Dr.GRPO."""
    register(DrGRPO)
