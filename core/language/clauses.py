"""Where sentences and clauses of an utterance lie, and the foldings under which texts are compared."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

from attrs import frozen

from adidem.core.language.patterns import Pattern

Party = Literal["speaker", "partner"]

_QUOTES = {ord(c): "'" for c in "’‘ʼ´′"} | {ord(c): '"' for c in "“”„«»″"}
_DASHES = {ord(c): "-" for c in "–‐‑‒−"} | {ord("―"): "—"}
_BLANKS = {ord(c): " " for c in "\u00a0\u2009\u202f\u2002\u2003\u200a\t"}
_ACCENTS = {i: unicodedata.normalize("NFD", chr(i))[0] for i in range(0xC0, 0x180)}
_LEVEL = _ACCENTS | _QUOTES | _DASHES | _BLANKS
_SPACES = Pattern(r"\s+")
_SENTENCE = Pattern(r"(?:[.!?…]+[\"')\]]*(?=\s|$)|\n+)")
_ABBREVIATION = Pattern(
    r"(?:\b(?:[ap]\.?m|e\.g|i\.e|mr|mrs|ms|dr|st|vs|approx|etc|no|min|max|incl|hrs?|mins?)|\b[a-z])\.$"
)
_CLAUSE = Pattern(
    r"\s*(?:[;—]|\s-+\s|[,:](?=\s)|,?\s+(?:but|however|though|although|yet|whereas|while|because|so|then|and|if|unless)(?=\s))\s*"
)
_SUBJECT = Pattern(
    r"\b(?:(i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll|my|mine|our|me|us)"
    r"|(you|you're|you've|you'd|you'll|your|yours))\b"
)


@frozen(slots=True)
class Span:
    """A piece of a text: character offsets, end exclusive, and the piece itself."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=4096)
def level(text: str) -> str:
    """Lower case, straight quotes and dashes, no accents, the same length as `text`, so that offsets carry over."""
    lowered = text.translate(_LEVEL).lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text.translate(_LEVEL))


def fold(text: str) -> str:
    """Lower case, straight quotes, single spaces, no accents: two texts that fold alike read alike."""
    return _SPACES.sub(" ", level(text)).strip()


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences of `text` in order, without the blanks around them."""
    low = level(text)
    cuts: list[int] = []
    for match in _SENTENCE.finditer(low):
        if match.group().startswith(".") and len(match.group()) == 1 and _abbreviated(low, match.end()):
            continue
        cuts.append(match.end())
    return _pieces(text, cuts, cuts)


def clauses(text: str) -> tuple[Span, ...]:
    """The clauses of `text` in order: sentences cut at commas, semicolons, dashes and conjunctions."""
    found: list[Span] = []
    for sentence in sentences(text):
        low = level(sentence.text)
        matches = list(_CLAUSE.finditer(low))
        ends = [m.start() for m in matches]
        starts = [_conjunction_start(m) for m in matches]
        found.extend(
            Span(s.start + sentence.start, s.end + sentence.start, s.text) for s in _pieces(sentence.text, ends, starts)
        )
    return tuple(found)


def sentence_at(text: str, position: int) -> Span:
    """The sentence of `text` that holds `position`; all of `text` where none does."""
    for sentence in cached_sentences(text):
        if sentence.start <= position < sentence.end:
            return sentence
    return Span(0, len(text), text)


@lru_cache(maxsize=2048)
def cached_sentences(text: str) -> tuple[Span, ...]:
    """`sentences`, remembered."""
    return sentences(text)


def spoken_by(low: str, start: int, end: int) -> Party:
    """Whose limit or need is told at the end of `low[start:end]`: the nearest person named before it, else the speaker.

    "You said you need" is the partner's; "I need", "at least" are the speaker's.
    """
    party: Party = "speaker"
    for match in _SUBJECT.finditer(low, start, end):
        party = "partner" if match.group(2) else "speaker"
    return party


def _abbreviated(low: str, end: int) -> bool:
    head = low[max(0, end - 8) : end]
    if not _ABBREVIATION.search(head):
        return False
    rest = low[end:].lstrip()
    return bool(rest) and not (head.endswith((".m.", "am.", "pm.", "no.", "min.", "max.", "etc.")) and _opens(rest))


def _opens(rest: str) -> bool:
    return rest.startswith(("i ", "i'", "we ", "you ", "that ", "does ", "is ", "how ", "what ", "so ", "ok"))


def _conjunction_start(match: re.Match[str]) -> int:
    inner = re.search(r"[a-z]", match.group())
    return match.start() + inner.start() if inner else match.end()


def _pieces(text: str, ends: list[int], starts: list[int]) -> tuple[Span, ...]:
    found: list[Span] = []
    begin = 0
    for end, start in zip([*ends, len(text)], [*starts, len(text)], strict=True):
        piece = text[begin:end]
        stripped = piece.strip()
        if stripped:
            lead = begin + len(piece) - len(piece.lstrip())
            found.append(Span(lead, lead + len(stripped), stripped))
        begin = start
    return tuple(found)
