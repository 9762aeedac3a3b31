"""Behaviour cloning (SocialVeil, arXiv 2602.05115, interactive learning, first half): a strong agent plays the tested
seat, the conversations that pass a filter are kept, and the policy learns to say what was said in them.

    L = −Σ_i Σ_t w_i · log π(a_{i,t}) / Σ_i Σ_t w_i,   w_i = 1 where conversation i passes, else 0

The published filter is goal > 5, mutual understanding ≥ 3, unresolved confusion ≥ 2 (higher is better); where there are
no such ratings, Verified Success decides. Who demonstrates is the recipe's `demonstrator`.
"""

from __future__ import annotations

from typing import ClassVar

from attrs import frozen

from adidem.core.contracts import Trainer
from adidem.core.domain import Sampling
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.trainers._imitator import Imitator


@frozen
class BC(Imitator):
    """Behaviour cloning: imitation of a demonstrator's conversations that pass a filter."""

    name: ClassVar[str] = "bc"

    @property
    def sampling(self) -> Sampling:
        """The demonstrator plays."""
        return Sampling("pairs", self.samples, source="demonstrator")


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """Behaviour cloning."""
    register(BC)
