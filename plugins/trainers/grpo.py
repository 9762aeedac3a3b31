"""GRPO, group-relative policy optimisation (DeepSeekMath, arXiv 2402.03300): the other samples of the same task are the
baseline.

    Â_i = (R_i − mean_g R) / (std_g R + ε),  the same on every token of conversation i

Every conversation counts once in its group, however long it is; one whose return is no number stays out of the mean and
gets no advantage, and a group of one has none. The deviation is a sample's (n − 1). The published loss is the mean over
conversations of their token means (`reduce: sequence`); `token` is the mean over all tokens.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from attrs import field, frozen
from attrs.validators import ge, gt, in_, le

from adidem.core.contracts import Trainer
from adidem.core.domain import Objective, Rollouts, Sampling, TurnCredit
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.trainers._groups import even, gathered, normalised, on_every_turn, task_of, totals


@frozen
class GRPO:
    """Group-relative policy optimisation: G samples a task, no critic."""

    name: ClassVar[str] = "grpo"
    samples: int = field(default=4, validator=[ge(2), le(64)], metadata={"doc": "G, conversations of one group"})
    eps: float = field(default=1e-4, validator=[gt(0), le(1)], metadata={"doc": "added to the deviation"})
    reduce: Literal["sequence", "token"] = field(default="sequence", validator=in_(["sequence", "token"]))

    @property
    def sampling(self) -> Sampling:
        """Groups."""
        return Sampling("groups", self.samples)

    @property
    def objective(self) -> Objective:
        """Clipped, no critic."""
        return Objective(reduce=self.reduce)

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """The advantage of each conversation, on all its turns."""
        returns, groups = totals(rollouts), gathered(map(task_of, rollouts))
        advantages = normalised(returns, groups, self.eps)
        return TurnCredit("advantages", on_every_turn(advantages, rollouts), {"even_groups": even(returns, groups)})


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """GRPO."""
    register(GRPO)
