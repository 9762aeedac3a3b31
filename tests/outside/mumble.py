"""A barrier in one file, outside the package: sentences trail off before they end.

Given to adidem by `--plugin`. It fulfils the contract alone, without the base class of the built-in barriers.
"""

import re

from attrs import define

import adidem
from adidem.core.domain import Directive

RATE = 0.9


@define
class Mumble:
    """The second half of a sentence is lost, and more of them the higher the severity."""

    name = "mumble"

    def directive(self, severity):
        """Nothing below .1; from there on the same words, with more and more lost ends."""
        if severity < 0.1:
            return Directive("", "", (), (), ())
        return Directive(
            style="You mumble, and your sentences trail off before their end.",
            stance="You are tired and think that the rest goes without saying.",
            tactics=("Let the end of a sentence go.",),
            mechanisms=("What is left out is what the other needed.",),
            exemplars=("I could do it if only…",),
            quotas={"lost": (severity, 3 * severity)},
        )

    def measure(self, utterance):
        """How many sentences trail off."""
        return {"lost": float(utterance.count("…"))}

    def distort(self, utterance, severity, rng):
        """One number is drawn for each sentence, whatever the severity."""
        pieces = re.split(r"(?<=[.!?]) ", utterance)
        return " ".join(self._lost(piece) if self._is_lost(rng, severity) else piece for piece in pieces)

    @staticmethod
    def _is_lost(rng, severity):
        return rng.random() < RATE * severity

    @staticmethod
    def _lost(piece):
        words = piece.split(" ")
        return piece if len(words) < 4 else " ".join(words[: len(words) // 2]).rstrip(",;") + "…"


@adidem.hookimpl
def adidem_register_barriers(register):
    """The barrier."""
    register(Mumble)
