"""Which of a list's items a text names, however cased, in the singular or plural, or slightly misspelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache

from attrs import frozen

from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern

ItemSpan = tuple[str, int, int]
"""An item as its list spells it, and where in the text it is named."""


@frozen(slots=True)
class _Index:
    """An item list made ready: a pattern of all spellings, the item of each, words to compare slips with."""

    pattern: re.Pattern[str]
    owners: Mapping[str, str]
    words: Mapping[str, tuple[tuple[str, str], ...]]


_DETERMINER = r"(?:the|a|an|some|any|no|your|my|our|that|this|those|these|without|and|or)"
_WORD = Pattern(r"[a-z][a-z'-]{4,}")


def join_items(items: Iterable[str]) -> str:
    """A list as a person says it: "a, b and c"; the empty string for none."""
    names = list(items)
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def item_spans(low: str, items: tuple[str, ...]) -> list[ItemSpan]:
    """Every one of `items` named in the levelled text, by position, the longest name first. The last word of a longer
    name counts after "the" and the like, where it can only mean that item."""
    if not items:
        return []
    index = _index(items)
    found = []
    for match in index.pattern.finditer(low):
        start, end = match.span("alias" if match["name"] is None else "name")
        owner = index.owners.get(_squeeze(low[start:end]))
        if owner is not None:  # a name of marks alone squeezes to another
            found.append((owner, start, end))
    found.extend(_misspelt(low, index, found))
    return sorted(found, key=lambda f: f[1])


def _misspelt(low: str, index: _Index, found: list[ItemSpan]) -> list[ItemSpan]:
    extra = []
    for match in _WORD.finditer(low):
        candidates = index.words.get(match.group()[0])
        if not candidates or any(s < match.end() and match.start() < e for _, s, e in found):
            continue
        for word, item in candidates:
            if _is_slip(match.group(), word):
                extra.append((item, match.start(), match.end()))
                break
    return extra


def _is_slip(said: str, word: str) -> bool:
    """One letter dropped, doubled or swapped with its neighbour, or one mistyped in a long word."""
    if abs(len(said) - len(word)) > 1 or said == word or said.rstrip("s") == word.rstrip("s"):
        return False
    if len(said) == len(word) and len(word) < 8 and sorted(said) != sorted(word):
        return False
    return _distance()(said, word, score_cutoff=1) == 1


@cache
def _distance() -> Callable[..., int]:
    from rapidfuzz.distance import OSA  # slow to import

    return OSA.distance


@lru_cache(maxsize=512)
def _index(items: tuple[str, ...]) -> _Index:
    owners: dict[str, str] = {}
    for item in items:
        for form in _forms(level(item).strip()):
            owners.setdefault(_squeeze(form), item)
    aliases = _aliases(items, owners)
    names = "|".join(_pattern(form) for form in sorted(owners, key=len, reverse=True))
    short = "|".join(_pattern(form) for form in sorted(aliases, key=len, reverse=True)) or "(?!)"
    pattern = re.compile(rf"(?<![\w-])(?:(?P<name>{names or '(?!)'})|{_DETERMINER}\s+(?P<alias>{short}))(?![\w])")
    words: dict[str, tuple[tuple[str, str], ...]] = {}
    for form, item in owners.items():
        if len(form) >= 6 and form.isalpha():
            words[form[0]] = (*words.get(form[0], ()), (form, item))
    return _Index(pattern, owners | aliases, words)


def _aliases(items: tuple[str, ...], owners: Mapping[str, str]) -> dict[str, str]:
    """The last word of a longer name, where it can only mean that item: "the salad" for "green salad"."""
    counts: dict[str, int] = {}
    for item in items:
        for word in set(re.findall(r"[a-z]+", level(item))):
            counts[_singular(word)] = counts.get(_singular(word), 0) + 1
    aliases: dict[str, str] = {}
    for item in items:
        parts = level(item).split()
        last = parts[-1] if parts else ""
        if len(parts) > 1 and len(last) > 3 and counts.get(_singular(last)) == 1:
            aliases |= {_squeeze(f): item for f in _forms(last) if _squeeze(f) not in owners}
    return aliases


def _forms(name: str) -> tuple[str, ...]:
    """A name, its singular and its plural."""
    bare = re.sub(r"^(?:an?|the|some)\s+", "", name)
    head, last = bare.rpartition(" ")[::2]
    stem = _singular(last)
    lead = f"{head} " if head else ""
    return tuple(dict.fromkeys(f"{lead}{form}" for form in (last, stem, _plural(stem)) if any(map(str.isalnum, form))))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "toes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("ch", "sh", "x", "ss", "to")) else "s")


def _squeeze(name: str) -> str:
    return re.sub(r"[\s-]+", " ", name)


def _pattern(form: str) -> str:
    return r"[\s-]+".join(re.escape(part) for part in form.split())
