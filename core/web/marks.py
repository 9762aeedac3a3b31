"""Marks in a text: evidence that judges quote, what was disclosed, what was searched for, as pieces for a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from attrs import frozen

from adidem.core.judging.fence import shown

Kind: TypeAlias = Literal["differs", "evidence", "disclosed", "hit"]

KINDS: tuple[Kind, ...] = ("differs", "evidence", "disclosed", "hit")

MOST = 20_000
"""Characters of a text that a page holds; the whole is behind a link."""
MOST_HITS = 200


@frozen
class Mark:
    """Characters `start` to `end` (exclusive) of a text, why they are marked, and the number of the note about them
    (0: none)."""

    start: int
    end: int
    kind: Kind
    note: int = 0


@frozen
class Piece:
    """Part of a text under the same marks: the kinds, in a fixed order, and the notes that end here."""

    text: str
    kinds: tuple[Kind, ...] = ()
    notes: tuple[int, ...] = ()


@frozen
class Told:
    """A text fit for a page: its pieces, and how many characters were left out at its end."""

    pieces: tuple[Piece, ...]
    left_out: int = 0

    @property
    def text(self) -> str:
        """The text without its marks."""
        return "".join(piece.text for piece in self.pieces)


def told(text: str, marks: Iterable[Mark] = (), most: int = MOST) -> Told:
    """The text with its marks laid in, as a judge is shown it (controls as pictures), cut where it is very long."""
    cut = shown(text[:most])
    return Told(tuple(_pieces(cut, [m for m in marks if m.start < m.end])), max(0, len(text) - most))


def _pieces(text: str, marks: Sequence[Mark]) -> Iterable[Piece]:
    edges = sorted({0, len(text), *(min(edge, len(text)) for m in marks for edge in (max(0, m.start), m.end))})
    for start, end in pairwise(edges):
        over = [m for m in marks if m.start <= start and m.end >= end]
        ending = {m.note for m in marks if m.note and min(m.end, len(text)) == end and m.start < end}
        yield Piece(text[start:end], tuple(k for k in KINDS if any(m.kind == k for m in over)), tuple(sorted(ending)))


def hits(text: str, terms: Sequence[str]) -> list[Mark]:
    """Where words and phrases of a search stand in a text, case ignored; the index knows more forms than this finds."""
    low = text[:MOST].lower()
    if len(low) != len(text[:MOST]):  # a letter that is two when small: the places would not fit
        return []
    found: list[Mark] = []
    for term in terms:
        wanted = term.rstrip("*").lower()
        place = low.find(wanted)
        while place >= 0 and len(found) < MOST_HITS:
            found.append(Mark(place, place + len(wanted), "hit"))
            place = low.find(wanted, place + len(wanted))
    return found
