"""Whether words that a judge quotes were said: white space and quotation marks are folded, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from attrs import frozen

from adidem.core.domain import Seat, Turn
from adidem.core.judging.fence import shown
from adidem.core.language.patterns import Pattern

_MARKS = {ord(mark): '"' for mark in "'’‘‚‛ʼ`´′“”„‟«»‹›″＂＇"}
_BLANKS = Pattern(r"\s+")


@frozen
class Found:
    """Where a quote stands: the turn, the character offsets in its text (end exclusive) and the true words there."""

    turn: Turn
    start: int
    end: int

    @property
    def words(self) -> str:
        """The words as they were said."""
        return self.turn.text[self.start : self.end]


@lru_cache(maxsize=1024)
def folded(text: str) -> str:
    """The text under which quotes are compared: as a judge is shown it, every run of white space one blank, every
    quotation mark or apostrophe `"`, no white space around it."""
    return _BLANKS.sub(" ", shown(text).translate(_MARKS)).strip()


def span_of(quote: str, text: str) -> tuple[int, int] | None:
    """The offsets of a quote in a text, or None where it is not there, or is empty."""
    wanted, within = folded(quote), folded(text)
    place = within.find(wanted) if wanted else -1
    if place < 0:
        return None
    offsets = _offsets(text)
    return offsets[place], offsets[place + len(wanted) - 1] + 1


def find_quote(quote: str, turns: Sequence[Turn], turn: int | None = None, seat: Seat | None = None) -> Found | None:
    """Where a quote was said: looked for in the turn of index `turn`, then in the turns of `seat`, then in all."""
    for candidate in (*(t for t in turns if t.index == turn), *(t for t in turns if t.seat == seat), *turns):
        span = span_of(quote, candidate.text)
        if span is not None:
            return Found(candidate, *span)
    return None


def _offsets(text: str) -> list[int]:
    """For each character of the folded text its offset in the text."""
    return list(_kept(shown(text)))


def _kept(text: str) -> Iterable[int]:
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    for place in range(start, end):
        if not (text[place].isspace() and text[place - 1].isspace()):
            yield place
