"""Whether two utterances say the same, and where output format leaks into speech."""

from __future__ import annotations

import re
from functools import lru_cache

from adidem.core.language.clauses import Span, fold, level
from adidem.core.language.numbers import find_numbers
from adidem.core.language.patterns import Pattern
from adidem.core.language.times import find_times

_SAME = 0.85
_MARKS = Pattern(r"[^\w\s']+")
_NEGATION = Pattern(r"\b(?:no|not|never|nor|cannot|without|nothing|none|neither)\b|n't\b")
_DIGITS = Pattern(r"[0-9]+")

_FIELD = (
    r"(?:outcome|record|terms|shares?|action|amount|approved_by|approver|quantity|start|end|slots?|items|decision"
    r"|agreement|status|plan|result|final_[a-z]+|start_time|end_time)"
)
_OUTCOMES = r"(?:agree|decline|defer|agreed|declined|deferred)"
_STRUCTURED = Pattern(
    r"(?P<fence>```[\s\S]*?(?:```|\Z))"
    r"|(?P<object>\{\s*[\"'][\w ]+[\"']\s*:[^{}]*(?:\{[^{}]*\}[^{}]*)*\}?)"
    r"|(?P<pair>[\"'][a-z_]{2,30}[\"']\s*:\s*(?:[\"'\[{]|-?[0-9]|true|false|null))"
    r"|(?P<tag></?(?:record|json|output|answer|response|outcome|terms|plan|action|result|xml|tool_call|function|think|thinking|system|assistant"
    r"|user)\b[^<>\n]{0,60}/?>|<\|[a-z_]+\|>)"
    rf"|(?P<outcome>\b(?:outcome|final[ _]outcome|status|decision)\s*[:=]\s*[\"'*]*{_OUTCOMES}\b)"
    rf"|(?P<bullets>(?:^[ ]*(?:[-*•]|[0-9]+[.)])[ ]+[*_`\"]*{_FIELD}[*_`\"]*\s*[:=][^\n]*(?:\n|\Z)){{1,}})"
    rf"|(?P<lines>(?:^[ ]*[*_`\"]*{_FIELD}[*_`\"]*\s*[:=][^\n]+(?:\n|\Z)){{2,}})"
    r"|(?P<heading>^[ ]*(?:#{1,4}[ ]*|\*\*)?(?:final[ ])?(?:record|recorded terms|json|output)(?:\*\*)?\s*:(?:\*\*)?"
    r"|^[ ]*#{1,4}[ ]+\w[^\n]*)"
    rf"|(?P<named>\b(?:approved_by|start_time|end_time|final_[a-z]+|[a-z]+_(?:terms|outcome|record))\s*[:=]\s*\S+)",
    re.MULTILINE | re.IGNORECASE,
)
_MAYBE_STRUCTURED = Pattern(r"[{}`<#=_]|:")


def similarity(a: str, b: str) -> float:
    """How alike two utterances are, 0..1: the alikeness of their words, lowered where numbers or times differ.

    1 only where words and numbers are the same; a differing number halves the value.
    """
    from rapidfuzz import fuzz  # slow to import

    words = fuzz.ratio(_words(a), _words(b)) / 100
    return words if _figures(a) == _figures(b) else words / 2


def same_content(a: str, b: str) -> bool:
    """Whether two utterances say the same in nearly the same words: equal numbers and times, equal negation."""
    if _figures(a) != _figures(b) or len(_NEGATION.findall(fold(a))) != len(_NEGATION.findall(fold(b))):
        return False
    from rapidfuzz import fuzz  # slow to import

    one, other = _words(a), _words(b)
    return fuzz.ratio(one, other) >= 100 * _SAME or fuzz.token_sort_ratio(one, other) >= 100 * _SAME


def structured_text(text: str) -> tuple[Span, ...]:
    """Where output format leaks into speech: JSON, code fences, tags, record headings, lists of record fields."""
    if not _MAYBE_STRUCTURED.search(text):
        return ()
    low = level(text)
    return tuple(
        Span(m.start(), m.end(), text[m.start() : m.end()]) for m in _STRUCTURED.finditer(low) if m.group().strip()
    )


@lru_cache(maxsize=4096)
def _figures(text: str) -> tuple[int | float | str, ...]:
    """Every number and time of a text in order, times on the clock: "2:30 pm" and "14:30" are equal."""
    found: list[tuple[int, int | float | str]] = [(t.start, t.time) for t in find_times(text)]
    taken = [(t.start, t.end) for t in find_times(text)]
    found += [(n.start, n.value) for n in find_numbers(text) if not any(s < n.end and n.start < e for s, e in taken)]
    return tuple(value for _, value in sorted(found, key=lambda f: f[0]))


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    """The folded words of a text without its numbers and marks."""
    low = level(text)
    cuts = [(m.start, m.end) for m in find_numbers(text)] + [(t.start, t.end) for t in find_times(text)]
    for start, end in cuts:
        low = low[:start] + " " * (end - start) + low[end:]
    return " ".join(_DIGITS.sub(" ", _MARKS.sub(" ", low)).split())
