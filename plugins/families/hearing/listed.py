"""A text's items turned into single letters, and its sentences with the items that each names together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from attrs import evolve, frozen

from adidem.core.language.clauses import level
from adidem.core.language.cues import load_cues, whole_words
from adidem.core.language.items import item_spans
from adidem.core.language.patterns import Pattern

_FIRST = 0xE000
_LAST = 0xF8FF
_I = f"[{chr(_FIRST)}-{chr(_LAST)}]"
_CUES = load_cues("wishes", Path(__file__).parent)


def said(name: str) -> str:
    """The cues of a name, `¤` in them any item."""
    return _CUES[name].replace("¤", _I)


def cue(name: str, before: str = "", after: str = "") -> Pattern:
    """The cues of a name as whole words, something before and after them."""
    return Pattern(lambda: before + whole_words(said(name)) + after)


DET = (
    r"(?:the|a|an|some|any|your|my|our|his|her|their|both|either|those|these|that|this|of|also|just|only|maybe|perhaps"
    r"|finally|even|then)"
)
ITEM = Pattern(f"{_I}+")
AFTER = Pattern(
    lambda: (
        r"\s*"
        + "(?:"
        + "|".join(
            f"(?P<{name}>{said(name)})"
            for name in ("after_must_not_miss", "after_refuse", "after_require", "after_mention")
        )
        + r")(?![\w'])"
    )
)
ACCEPTED = cue("accepted", r"\s+")
CORRECTED = Pattern(lambda: f"{whole_words(said('corrected'))}|(?<![\\w']){said('slip')}\\s*$")
_JOIN = Pattern(
    rf"(?:\s*[,/+&]\s*(?:(?:and|or|nor|plus|then|&)\s+)?|\s+(?:and|or|nor|plus|with|alongside|together\s+with|along\s+with"
    rf"|as\s+well\s+as)\s+)(?:{DET}\s+)*"
)
_END = Pattern(r"[.!?…]+[\")\]]*(?=\s|$)|\n+")
_BULLET = Pattern(r"\n[ ]*(?:[-*•·]|[0-9]{1,2}[.)])(?=\s)")
_MARKS = Pattern(rf"[\"*_`()\[\]]|(?<![a-z{chr(_FIRST)}-{chr(_LAST)}])'|'(?![a-z])")
_IDIOM = cue("idiom")
_COMMON = frozenset(
    """night day time hour round list order way place name number table side part work thing point year week morning
    evening group story house room home line turn step stop record date help love need want have must plan deal set
    show play game form card call word end start piece open close""".split()
)


@frozen
class Group:
    """Items named in one breath ("the soup, the cake and the bread"): offsets, their numbers, where each begins, and
    the words that join them."""

    start: int
    end: int
    items: tuple[int, ...]
    starts: tuple[int, ...]
    joins: str = ""

    def halves(self, at: int) -> tuple[Group, Group]:
        """The items before the one numbered `at` in this group, and the rest."""
        left = evolve(self, end=self.starts[at] - 1, items=self.items[:at], starts=self.starts[:at])
        return left, evolve(self, start=self.starts[at], items=self.items[at:], starts=self.starts[at:])


@frozen
class Sentence:
    """A stretch of the masked text, with the items named in it; `asked` where it ends in a question mark."""

    text: str
    start: int
    end: int
    asked: bool
    groups: tuple[Group, ...]


def mask(text: str, items: tuple[str, ...]) -> str:
    """The levelled text, as long as it was, each item named in it turned into a run of one private letter."""
    low = _BULLET.sub(lambda m: "," + " " * (len(m.group()) - 1), level(text))
    numbers = {item: n for n, item in enumerate(items)}
    spans = [(start, end, numbers[item]) for item, start, end in item_spans(level(text), items)]
    if spans or len(items) <= _LAST - _FIRST:
        spans += _short_names(low, items, spans)
    for start, end, number in spans:
        low = low[:start] + chr(_FIRST + number) * (end - start) + low[end:]
    low = _MARKS.sub(" ", low)
    return _IDIOM.sub(lambda m: " " * len(m.group()), low)


def _short_names(low: str, items: tuple[str, ...], spans: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    pattern, numbers = _short(items)
    if pattern is None:
        return []
    free = (m for m in pattern.finditer(low) if not any(s < m.end() and m.start() < e for s, e, _ in spans))
    return [(m.start(), m.end(), numbers[m.group()]) for m in free]


@lru_cache(maxsize=512)
def _short(items: tuple[str, ...]) -> tuple[re.Pattern[str] | None, dict[str, int]]:
    """The last words of longer names, where they can only mean that item and are no everyday words."""
    words = [level(item).split() for item in items]
    everywhere = [w for parts in words for w in set(parts)]
    numbers = {}
    for n, parts in enumerate(words):
        last = parts[-1] if len(parts) > 1 else ""
        if len(last) > 2 and last.isalpha() and last not in _COMMON and everywhere.count(last) == 1:
            numbers[last] = n
    if not numbers:
        return None, {}
    return re.compile(r"(?<![\w'-])(?:" + "|".join(sorted(numbers)) + r")(?![\w-]|'(?!s\b))"), numbers


def sentences_of(masked: str) -> Iterator[Sentence]:
    """The sentences of a masked text, in order."""
    begin = 0
    for match in (*_END.finditer(masked), None):
        end = len(masked) if match is None else match.end()
        if masked[begin:end].strip():
            asked = match is not None and "?" in match.group()
            yield Sentence(masked, begin, end, asked, groups_of(masked, begin, end))
        begin = end


def groups_of(masked: str, begin: int, end: int) -> tuple[Group, ...]:
    """The items between two offsets, those named in one breath together."""
    found: list[Group] = []
    for match in ITEM.finditer(masked, begin, end):
        number = ord(match.group()[0]) - _FIRST
        last = found[-1] if found else None
        joined = last is not None and _JOIN.fullmatch(masked, last.end, match.start())
        if last is not None and joined and number not in last.items:
            found[-1] = Group(
                last.start,
                match.end(),
                (*last.items, number),
                (*last.starts, match.start()),
                last.joins + joined.group(),
            )
        else:
            found.append(Group(match.start(), match.end(), (number,), (match.start(),)))
    return tuple(found)


def replaced(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    """A corrected list: all of it where it shares an item with the old one, else as many of its last items."""
    return new if set(old) & set(new) else (*old[: -len(new)], *new)
