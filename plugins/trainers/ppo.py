"""PPO (arXiv 1707.06347): the terminal reward as it is; a critic and GAE find out which turns it came from.

    δ_t = r_t + γ·V_{t+1} − V_t        Â_t = δ_t + γλ·Â_{t+1}
    L = −mean min(ρ_t·Â_t, clip(ρ_t, 1 ± ε)·Â_t),  ρ_t = π(a_t) / π_behaviour(a_t)

At turn level t counts policy turns, V_t is the value at a turn's first token and Â_t holds for all its tokens; at token
level t counts the policy's tokens and a turn's reward sits on its last one. The advantages, the clipping and the
critic's loss are the shared loop's (`adidem.core.training`); this file only says that rewards are not moved.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from attrs import field, frozen
from attrs.validators import ge, in_, le

from adidem.core.contracts import Trainer
from adidem.core.domain import Objective, Rollouts, Sampling, TurnCredit
from adidem.core.hookspecs import Register, hookimpl


@frozen
class PPO:
    """Proximal policy optimisation with GAE: two samples in each of both worlds, no probes."""

    name: ClassVar[str] = "ppo"
    samples: int = field(default=2, validator=[ge(1), le(64)], metadata={"doc": "conversations in each world"})
    level: Literal["turn", "token"] = field(
        default="turn", validator=in_(["turn", "token"]), metadata={"doc": "what GAE steps over"}
    )
    gamma: float = field(default=1.0, validator=[ge(0), le(1)])
    lam: float = field(default=0.95, validator=[ge(0), le(1)], metadata={"doc": "GAE's λ"})
    whiten: bool = field(default=True, metadata={"doc": "advantages get mean 0 and deviation 1"})

    @property
    def sampling(self) -> Sampling:
        """Pairs, so that it sees what PaCPO sees."""
        return Sampling("pairs", self.samples)

    @property
    def objective(self) -> Objective:
        """Clipped, with a critic of the rewards."""
        return Objective(critic=True, level=self.level, gamma=self.gamma, lam=self.lam, whiten=self.whiten)

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """The rewards, where they are."""
        return TurnCredit("rewards", tuple(rollout.rewards for rollout in rollouts))


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """PPO."""
    register(PPO)
