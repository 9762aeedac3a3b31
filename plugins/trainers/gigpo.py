"""GiGPO, group-in-group policy optimisation (arXiv 2505.10978): besides whole conversations it compares the steps that
different conversations of one task took from the same state.

    Â_{i,t} = A_E(i) + ω · A_S(i, t)
    A_E(i) = norm_g(R_i)                      among the conversations of the task
    A_S(i, t) = norm(G_{i,t}),  G_{i,t} = Σ_{k ≥ t} γ^{k−t} r_{i,k}    among the steps that share an anchor state

Free talk never comes to the same state twice, so the anchor is a canonical one: the tentative plan, what has been
disclosed, and the turn's index (`Rollout.anchors`). A step that is alone in its state has no step advantage, and a turn
without a token is no step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from attrs import field, frozen
from attrs.validators import ge, gt, in_, le

from adidem.core.contracts import Trainer
from adidem.core.domain import Objective, Rollouts, Sampling, TurnCredit
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule
from adidem.plugins.trainers._groups import anchors, even, gathered, laid_out, normalised, task_of, totals

if TYPE_CHECKING:
    import numpy as np

    from adidem.plugins.trainers._groups import Numbers
else:
    np = LazyModule("numpy")


@frozen
class GiGPO:
    """Group-in-group policy optimisation: an advantage among conversations and one among steps from one state."""

    name: ClassVar[str] = "gigpo"
    samples: int = field(default=4, validator=[ge(2), le(64)], metadata={"doc": "G, conversations of one group"})
    omega: float = field(default=1.0, validator=[ge(0), le(100)], metadata={"doc": "weight of the step advantage"})
    gamma: float = field(default=0.95, validator=[ge(0), le(1)], metadata={"doc": "discount of a step's return"})
    scale: Literal["deviation", "none"] = field(
        default="deviation", validator=in_(["deviation", "none"]), metadata={"doc": "what differences are divided by"}
    )
    eps: float = field(default=1e-4, validator=[gt(0), le(1)], metadata={"doc": "added to the deviation"})
    reduce: Literal["sequence", "token"] = field(default="sequence", validator=in_(["sequence", "token"]))

    @property
    def sampling(self) -> Sampling:
        """Groups with probes, which the anchor states are made of."""
        return Sampling("groups", self.samples, probes=True)

    @property
    def objective(self) -> Objective:
        """Clipped, no critic."""
        return Objective(reduce=self.reduce)

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """Both advantages, added. Raises ValueError where anchors are missing."""
        eps = self.eps if self.scale == "deviation" else None
        states = anchors(rollouts, self.name)
        returns, groups = totals(rollouts), gathered(map(task_of, rollouts))
        episode = normalised(returns, groups, eps)
        steps = [
            (task_of(r), state) if has_tokens(r.tokens, t) else (None, i, t)
            for i, r in enumerate(rollouts)
            for t, state in enumerate(states[i])
        ]
        shared = gathered(steps)
        step = normalised(_to_go(rollouts, self.gamma), shared, eps)
        counts = [len(rollout.rewards) for rollout in rollouts]
        found = {
            "even_groups": even(returns, groups),
            "shared_steps": sum(len(g) for g in shared if len(g) > 1) / len(steps) if steps else float("nan"),
        }
        return TurnCredit("advantages", laid_out(np.repeat(episode, counts) + self.omega * step, rollouts), found)


def has_tokens(tokens: tuple[int, ...], turn: int) -> bool:
    """Whether the policy said anything in that turn; where lengths are not given, it did."""
    return not tokens or tokens[turn] > 0


def _to_go(rollouts: Rollouts, gamma: float) -> Numbers:
    found: list[float] = []
    for rollout in rollouts:
        value, ours = 0.0, []
        for reward in reversed(rollout.rewards):
            value = reward + gamma * value
            ours.append(value)
        found += reversed(ours)
    return np.array(found, dtype=np.float64)


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """GiGPO."""
    register(GiGPO)
