"""Self-reinforcement (SocialVeil, arXiv 2602.05115, interactive learning, second half): the policy plays, its own
conversations are rated, those that pass the filter are learned, and so again in the next update.

    L = −Σ_i Σ_t w_i · log π(a_{i,t}) / Σ_i Σ_t w_i,   w_i = 1 where the policy's own conversation i passes, else 0

The filter is that of behaviour cloning: goal > 5, mutual understanding ≥ 3, unresolved confusion ≥ 2 (higher is
better); where there are no such ratings, Verified Success decides.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from adidem.core.contracts import Trainer
from adidem.core.domain import Sampling
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.trainers._imitator import Imitator


@frozen
class SelfReinforcement(Imitator):
    """Self-reinforcement: imitation of the policy's own conversations that pass a filter."""

    name: ClassVar[str] = "self_reinforcement"

    @property
    def sampling(self) -> Sampling:
        """The policy plays."""
        return Sampling("pairs", self.samples)


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """Self-reinforcement."""
    register(SelfReinforcement)
