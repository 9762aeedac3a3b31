"""Repair moves: what a listener says to mend what was not understood (SocialVeil's repair instruction names them)."""

from __future__ import annotations

from adidem.core.language.clauses import level
from adidem.core.language.cues import load_cues, whole_words
from adidem.core.language.patterns import Patterns

MOVES = ("asks_referent", "probes_gently", "calms", "paraphrases", "returns_to_topic")
"""Asks what exactly is meant; offers an easy answer; calms first; says back what was understood; goes back to the
matter."""

_CUES = load_cues("moves")
_IS = Patterns(lambda name: whole_words(_CUES[name]))


def find_moves(text: str) -> frozenset[str]:
    """The repair moves of an utterance, each once."""
    low = level(text)
    return frozenset(move for move in MOVES if _IS[move].search(low))
