"""Vague speech as a listener takes it: what stands for a thing unnamed is a gap, and no word in it counts."""

from __future__ import annotations

from functools import lru_cache

from adidem.core.language.clauses import level
from adidem.core.language.cues import load_cues, whole_words
from adidem.core.language.patterns import Pattern

GAP = "\ufffe"
"""Stands for every character of what is not named; no word, number or mark."""

_CUES = load_cues("unnamed")
_UNNAMED = Pattern(lambda: whole_words(_CUES["unnamed"]))
_ASIDE = Pattern(lambda: rf"(?<![\w'-]){_CUES['aside']}|(?:,\s?{_CUES['hedge']}){{1,3}}(?=[.!?…;]|$)")


@lru_cache(maxsize=4096)
def with_gaps(text: str) -> str:
    """The text, as long as it was, with `GAP` in place of "that other thing", "what is customary", "you know whom I
    mean" and the like, and blanks in place of "if I may say so," and other asides, and of a hedge behind a comma at the
    end of a sentence. Other words stay as they are."""
    low = level(text)
    gapped = _blanked(text, low, _ASIDE, " ")
    return _blanked(gapped, low, _UNNAMED, GAP)


def _blanked(text: str, low: str, pattern: Pattern, mark: str) -> str:
    out: list[str] = []
    done = 0
    for match in pattern.finditer(low):
        out += (text[done : match.start()], mark * (match.end() - match.start()))
        done = match.end()
    return "".join((*out, text[done:])) if out else text
