"""Which of a list's items a text names, and whether it asks for them, rules them out or merely mentions them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal

from attrs import frozen

from adidem.core.language.clauses import Party, Span, level, sentence_at, spoken_by
from adidem.core.language.cues import load_cues, whole_words
from adidem.core.language.patterns import Pattern

Polarity = Literal["require", "refuse", "mention"]


@frozen(slots=True)
class ItemMention:
    """An item named in a text, as the list spells it, with what the sentence does to it.

    `by` is "partner" where the sentence tells the other's need ("so you can't have nuts").
    """

    item: str
    start: int
    end: int
    text: str
    polarity: Polarity
    by: Party = "speaker"


@frozen(slots=True)
class _Index:
    """An item list made ready: a pattern of all spellings, the item of each, words to compare slips with."""

    pattern: re.Pattern[str]
    owners: Mapping[str, str]
    words: Mapping[str, tuple[tuple[str, str], ...]]


_REACH = 240
_WORDS = load_cues("items")
_BEFORE = Pattern(
    lambda: "|".join(
        (
            rf"(?P<mention>{whole_words(_WORDS['before_mention'])})",
            rf"(?P<but>{whole_words(_WORDS['all_but'])})",
            rf"(?P<require>{whole_words(_WORDS['before_require'])})",
            rf"(?P<refuse>{whole_words(_WORDS['before_refuse'])})",
            rf"(?P<keep>{whole_words(_WORDS['before_keep'])})",
            rf"(?P<reset>[.;!?—]|{whole_words(_WORDS['reset'])})",
        )
    )
)
_AFTER = Pattern(
    lambda: (
        rf"\s*,?\s*(?:(?P<require>{_WORDS['after_require']})|(?P<refuse>{_WORDS['after_refuse']})"
        rf"|(?P<mention>{_WORDS['after_mention']}))(?![\w'])"
    )
)
_AND = Pattern(
    r"\s*(?:,|,?\s*\b(?:and|or|nor)\b|\bas\s+well\s+as\b|&|\band/or\b)\s*(?:(?:the|some|an?|any|no|also)\s+)?$"
)
_DETERMINER = r"(?:the|a|an|some|any|no|your|my|our|that|this|those|these|without|and|or)"
_WORD = Pattern(r"[a-z][a-z'-]{4,}")
_QUESTION_OWN = Pattern(
    r"\b(?:i|we)\s+(?:\w+\s+)?(?:can't|cannot|need|must|have|don't|won't|insist|require|want)\b|\bi'm\s+allergic|\ballergic\b"
)
_CARRIED = frozenset(("need", "needed", "want", "at least", "must"))
_SINGULAR = Pattern(r"\s*,?\s*(?:is|has|'s|isn't|hasn't|doesn't|needs|stays|works|makes)\b")
_IF_NONE = Pattern(r"\bif\s+there(?:'s|\s+is|\s+are)\s+(?:no|not)\s+(?:any\s+|an?\s+)?$")
_THREAT = Pattern(r"\b(?:i'm|we're|count\s+me)\s+out\b|\bno\s+deal\b|\b(?:can't|won't|not\s+coming)\b")
_JOINED = Pattern(r"(?:\band|,|let's|to)\s+$")
_OUT = Pattern(r"[^.;!?]{0,20}?\b(?:out|off|away)\b")


def find_items(text: str, items: Sequence[str]) -> tuple[ItemMention, ...]:
    """Every one of `items` named in `text`, by position, the longest name first, however cased or slightly misspelt."""
    return _find(text, tuple(items))


def join_items(items: Iterable[str]) -> str:
    """A list as a person says it: "a, b and c"; the empty string for none."""
    names = list(items)
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


@lru_cache(maxsize=4096)
def _find(text: str, items: tuple[str, ...]) -> tuple[ItemMention, ...]:
    low = level(text)
    found: list[ItemMention] = []
    spans = _spans(low, items)
    for index, (item, start, end) in enumerate(spans):
        polarity = _polarity(text, low, (start, end), _list_end(low, spans, index))
        by = spoken_by(low, max(sentence_at(text, start).start, start - _REACH), start)
        found.append(ItemMention(item, start, end, text[start:end], polarity, by))
    return tuple(found)


def _list_end(low: str, spans: list[tuple[str, int, int]], index: int) -> int:
    """Where the enumeration that the item at `index` belongs to ends: what follows may speak of all of it."""
    end = spans[index][2]
    for _, start, stop in spans[index + 1 : index + 12]:
        if not _AND.match(low, end, start):
            break
        end = stop
    return end


def _spans(low: str, items: tuple[str, ...]) -> list[tuple[str, int, int]]:
    if not items:
        return []
    index = _index(items)
    found = []
    for match in index.pattern.finditer(low):
        start, end = match.span("alias" if match["name"] is None else "name")
        found.append((index.owners[_squeeze(low[start:end])], start, end))
    found.extend(_misspelt(low, index, found))
    return sorted(found, key=lambda f: f[1])


def _misspelt(low: str, index: _Index, found: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
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


def _polarity(text: str, low: str, span: tuple[int, int], list_end: int) -> Polarity:
    sentence = sentence_at(text, span[0])
    if sentence.text.endswith("?") and not _QUESTION_OWN.search(low, max(sentence.start, span[0] - _REACH), span[0]):
        return "mention"
    if _IF_NONE.search(low, max(sentence.start, span[0] - 30), span[0]):
        return "require" if _THREAT.search(low, span[1], sentence.end) else "mention"
    before = _before(low, sentence, span)
    match = _AFTER.match(low, list_end, sentence.end)
    if match is None:
        return "refuse" if before == "but" else before
    after: Polarity = "require" if match["require"] else "refuse" if match["refuse"] else "mention"
    if before == "but":
        return "refuse" if after != "refuse" else "mention"
    # "The cake and the soup are out" speaks of both, "I need cake and the soup is out" of one.
    if list_end > span[1] and (before != "mention" or _SINGULAR.match(low, list_end)):
        return before
    return after


def _before(low: str, sentence: Span, span: tuple[int, int]) -> Polarity | Literal["but"]:
    """What the last cue before an item says of it; a cue's reach ends at a contrast or at a new subject."""
    kind: Polarity | Literal["but"] = "mention"
    for match in _BEFORE.finditer(low, max(sentence.start, span[0] - _REACH), span[0]):
        group = match.lastgroup
        if group == "keep":
            kind = "refuse" if _OUT.match(low, span[1], sentence.end) else _kept(low, match, kind)
        elif group == "require" and kind == "refuse" and match.group() in _CARRIED:
            continue
        elif group == "but":
            kind = "but"
        else:
            kind = "require" if group == "require" else "refuse" if group == "refuse" else "mention"
    return kind


def _kept(low: str, match: re.Match[str], kind: Polarity | Literal["but"]) -> Polarity | Literal["but"]:
    """ "Drop the olives and keep the cake" spares the cake, "I can't keep the cake" does not."""
    return "mention" if match.group() == "keep" and _JOINED.search(low, 0, match.start()) else kind
