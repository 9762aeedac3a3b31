"""What a goal gives away: its amounts with their units, its verbs, its roles, its words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from attrs import frozen

from adidem.core.language import words as number_words
from adidem.core.language.patterns import Pattern

_FILE = Path(__file__).with_name("words.yaml")
_WORD = Pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = r"\d+(?:[.,]\d+)*"
_AMOUNT = Pattern(
    rf"(?P<sign>[$€£])\s?(?P<money>{_NUMBER})"
    rf"|(?P<number>{_NUMBER}|\b{number_words.NUMBER_WORDS}\b)(?:[\s-]+(?:more\s+|extra\s+)?)?(?P<unit>%|[^\W\d_]+)?",
    2,
)
_STARTS = Pattern(r"(?:^|[.!?(;:]\s*)$")


@cache
def table() -> Mapping[str, Any]:
    """The word lists of words.yaml, as sets."""
    read = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    lists = ("light", "verbs", "deals", "roles", "sides", "people", "before_noun", "before_verb", "stop")
    return {**read, **{name: frozenset(read[name].split()) for name in lists}}


@frozen
class Word:
    """A word of a text in small letters, where it stands, and the word before it in the same sentence."""

    text: str
    start: int
    end: int
    before: str


@frozen
class Amount:
    """A number with its unit ("" for none); money has its sign as unit."""

    value: float
    unit: str
    text: str

    @property
    def key(self) -> tuple[float, str]:
        """What makes two amounts the same: the value and the unit's base form."""
        return self.value, min(bases(self.unit)) if self.unit.isalpha() else self.unit


@frozen
class Private:
    """What one goal gives away. `verbs`, `roles` and `words` hold base forms; a side of a
    deal stands for every side of one, since it gives them all away."""

    amounts: frozenset[tuple[float, str]]
    verbs: frozenset[str]
    roles: frozenset[str]
    words: frozenset[str]


def private_of(goal: str) -> Private:
    """What a goal gives away; its tags are taken out beforehand."""
    found = list(words(goal))
    verbs = frozenset(base for word in found if _is_verb(word, goal) for base in bases(word.text))
    roles = frozenset(base for word in found for base in bases(word.text) & table()["roles"])
    if roles & table()["sides"]:
        roles |= table()["sides"]
    if roles & table()["sides"] or verbs & table()["deals"]:
        verbs |= table()["deals"]
    content = frozenset(base for word in found if word.text not in table()["stop"] for base in bases(word.text))
    return Private(
        amounts=frozenset(amount.key for amount in amounts(goal)),
        verbs=frozenset(verbs - table()["light"]),
        roles=frozenset(roles),
        words=content - table()["light"] - table()["stop"],
    )


def words(text: str) -> Iterator[Word]:
    """The words of a text."""
    before, last = "", 0
    for match in _WORD.finditer(text):
        between = text[last : match.start()]
        if any(sign in between for sign in ".!?;:("):
            before = ""
        word = match[0].lower().replace("’", "'")
        yield Word(word, match.start(), match.end(), before)
        before, last = word, match.end()


def amounts(text: str) -> Iterator[Amount]:
    """The amounts of a text that have a unit, or are written in digits."""
    for match in _AMOUNT.finditer(text):
        if match["sign"]:
            yield Amount(_value(match["money"]), match["sign"], match[0])
            continue
        unit = (match["unit"] or "").lower()
        spelt = not match["number"][0].isdigit()
        if unit in table()["stop"] or unit in table()["light"]:
            unit = ""
        if unit or not spelt:
            said = match[0] if unit else match["number"]
            yield Amount(_value(match["number"].lower()), unit, said.strip())


def is_verb(word: Word, verbs: Iterable[str]) -> bool:
    """Whether a word of a scenario is a form of one of these verbs, where it does not stand as a noun."""
    return word.before not in table()["before_noun"] and not bases(word.text).isdisjoint(verbs)


@lru_cache(maxsize=8192)
def bases(word: str) -> frozenset[str]:
    """Every form that a word may be an inflection of, itself included: `sharing` is share, shar, sharing."""
    word = word.removesuffix("'s").removesuffix("'")
    known = table()["irregular"].get(word)
    if known is not None:
        return frozenset({word, known})
    found = {word}
    if word.endswith(("ies", "ied")) and len(word) > 4:
        found.add(f"{word[:-3]}y")
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        found |= {word[:-1], word[:-2]} if word.endswith("es") else {word[:-1]}
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            found |= {stem, f"{stem}e"}
            if stem[-1] == stem[-2]:
                found.add(stem[:-1])
    return frozenset(found)


def _is_verb(word: Word, goal: str) -> bool:
    if word.text in table()["stop"] or word.before in table()["before_noun"] - table()["before_verb"]:
        return False
    if word.before in table()["before_verb"] or not bases(word.text).isdisjoint(table()["verbs"]):
        return True
    return word.before == "" and _STARTS.search(goal[: word.start]) is not None and word.start == 0


def _value(text: str) -> float:
    if not text[0].isdigit():
        return float(number_words.words_value(text))
    head, point, tail = text.rpartition(".")
    if point and len(tail) != 3:
        return float(f"{head.replace(',', '').replace('.', '') or '0'}.{tail.replace(',', '')}")
    return float(text.replace(",", "").replace(".", ""))
