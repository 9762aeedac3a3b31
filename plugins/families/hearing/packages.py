"""Ears for a negotiation over packages: who takes how many of each, and what matters most and least to somebody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from attrs import define, field

from adidem.core.domain import Fact, Public, Seat, other
from adidem.core.language.clauses import cached_sentences, level
from adidem.core.language.cues import load_cues
from adidem.core.language.patterns import Pattern

Shares = dict[Seat, int]

_CUE = load_cues("packages", Path(__file__).parent)
_WORTH = {"most": 5, "second": 4, "least": 3}
_NUMBERS = {"no": 0, "none": 0, "zero": 0, "a": 1, "an": 1, "one": 1, "two": 2, "three": 3}
_WOOD = ("wood", "fire wood")
_END = Pattern(r"[.?!;\n]")
_ORDER = Pattern(
    lambda: (
        rf"\b(?:i|we) (?:need|want) (?:the )?(?P<a>{_CUE['item']}) (?:the )?most"
        rf"(?:,? then (?P<b>{_CUE['item']}))?(?:,? and (?P<c>{_CUE['item']}) (?:the )?least)?"
    )
)
_TOKEN = Pattern(
    lambda: (
        rf"(?<![\w'-])(?:(?P<harmless>{_CUE['harmless']})|(?P<rest>{_CUE['rest']})"
        rf"|(?P<number>{_CUE['number']})\s+{_CUE['of']}(?P<item>{_CUE['item']})"
        rf"|(?P<alone>{_CUE['item']})|(?P<speaker>{_CUE['speaker']})|(?P<listener>{_CUE['listener']})"
        rf"|(?P<says>{_CUE['says']})|(?P<give>{_CUE['give']})|(?P<post>{_CUE['post']})|(?P<negation>{_CUE['negation']})|(?P<and>and|,|&)"
        r"|(?P<word>[a-z][a-z'-]*))(?![\w'])|(?P<end>[.?!;\n])"
    )
)


# ----------------------------------------------------------------------------------------------------------- priorities


@lru_cache(maxsize=2048)
def priorities(text: str, items: tuple[str, ...], kind: str) -> tuple[Fact, ...]:
    """What the speaker says matters most and least: facts of that kind, points by item; None is not said."""
    found = []
    for sentence in cached_sentences(text):
        low = level(sentence.text)
        ranks = _ranks(low)
        if ranks:
            values = {item: ranks.get(item.casefold()) for item in items}
            found.append(Fact(kind, _completed(values), "speaker", sentence.start, sentence.end))
    return tuple(found)


def _ranks(low: str) -> dict[str, int]:
    ordered = _ORDER.search(low)
    if ordered is not None:
        ranks = zip((ordered["a"], ordered["b"], ordered["c"]), (5, 4, 3), strict=True)
        return {_plain(item): points for item, points in ranks if item}
    found: dict[str, int] = {}
    for rank in ("most", "least"):
        match = _rank_pattern(rank).search(low)
        item = match and next((group for group in match.groups() if group), None)
        if item and not _denied(low, match.start() if match else 0):
            found[_plain(item)] = _WORTH[rank]
    return found


def _denied(low: str, start: int) -> bool:
    return re.search(rf"\b{_CUE['negation']}\b", low[max(0, start - 20) : start]) is not None


@lru_cache(maxsize=4)
def _rank_pattern(rank: str) -> re.Pattern[str]:
    return re.compile(rf"\b{_CUE[rank]}\b".replace("@i", f"({_CUE['item']})"))


def _completed(values: Mapping[str, int | None]) -> dict[str, int | None]:
    """With two of the three known, the third is what is left."""
    known = [points for points in values.values() if points is not None]
    left = [points for points in _WORTH.values() if points not in known]
    if len(set(known)) == len(values) - 1 and len(left) == 1:
        return {item: left[0] if points is None else points for item, points in values.items()}
    return dict(values)


def _plain(item: str) -> str:
    return "firewood" if item in _WOOD else item


# --------------------------------------------------------------------------------------------------------------- shares


@define
class _Ledger:
    """Who was given what in an utterance, as it is read from left to right."""

    speaker: Seat
    units: int
    owner: Seat | None = None
    waiting: list[tuple[str, int]] = field(factory=list)
    found: dict[str, Shares] = field(factory=dict)
    rest: Seat | None = None
    resting: bool = False
    spoiled: bool = False
    denied: bool = False
    shared: bool = False

    def person(self, seat: Seat, after: str) -> None:
        """Somebody is named: whose the packages before are ("for you"), or those that follow ("you get")."""
        if after == "post" and self.resting:
            self.rest, self.resting = seat, False
        if after == "post" and self.waiting:
            self.owner = seat
            self.hand_over()
            self.owner = None
        else:
            self.hand_over()
            self.owner = seat

    def hand_over(self) -> None:
        """What was named goes to whose turn it was, if anybody's."""
        if self.owner is not None:
            for item, number in self.waiting:
                self.give(self.owner, item, number)
            self.waiting.clear()

    def share(self, item: str, number: int) -> None:
        """So many packages of an item are named."""
        self.shared = True
        self.waiting.append((item, number))

    def give(self, seat: Seat, item: str, number: int) -> None:
        """Packages with an owner; two numbers for the same are no plan."""
        shares = self.found.setdefault(item, {})
        if shares.setdefault(seat, number) != number:
            self.spoiled = True

    def stop(self) -> None:
        """A sentence ends: what was denied in it is no plan."""
        self.hand_over()
        self.spoiled = self.spoiled or (self.denied and self.shared)
        self.owner, self.denied, self.shared = None, False, False


def shares_said(text: str, public: Public, speaker: Seat, items: Sequence[str], units: int) -> dict[str, Shares] | None:
    """How many packages of each item each of the two takes, where the utterance says that of every item (one person's
    number implies the other's, "the rest" is all that is left), else None. What is denied, contradicts itself or does
    not add up is None too. Never raises."""
    low = level(text)
    ledger = _read(low, public, speaker, units)
    if ledger.spoiled or ledger.waiting:
        return None
    found: dict[str, Shares] = {}
    for item in items:
        whole = _whole(ledger.found.get(item.casefold(), {}), ledger.rest, units)
        if whole is None:
            return None
        found[item] = whole
    return found if ledger.found else None


def _whole(said: Shares, rest: Seat | None, units: int) -> Shares | None:
    if not said:
        return None if rest is None else {rest: units, other(rest): 0}
    seat, number = next(iter(said.items()))
    whole = {seat: number, other(seat): units - number}
    good = 0 <= number <= units and all(whole[who] == count for who, count in said.items())
    return whole if good else None


def _read(low: str, public: Public, speaker: Seat, units: int) -> _Ledger:
    names = {name.split()[0].casefold(): seat for seat, name in zip(("first", "second"), public.names, strict=True)}
    ledger = _Ledger(speaker, units)
    before, number = "", 0
    for kind, words in _tokens(low):
        if kind == "word" and words in names:
            ledger.person(names[words], before)  # type: ignore[arg-type]
        elif kind == "speaker":
            ledger.person(speaker, before)
        elif kind == "listener":
            ledger.person(other(speaker), before)
        elif kind == "give" and ledger.owner is not None:
            ledger.hand_over()
            ledger.owner = other(ledger.owner)
        elif kind == "says":
            ledger.owner = None
        elif kind == "number":
            amount, _, item = words.partition("\n")
            number = _count(amount, units)
            ledger.share(_plain(item), number)
        elif kind == "alone" and before == "and-all":
            ledger.share(_plain(words), number)
        elif kind == "rest":
            ledger.hand_over()
            ledger.rest = ledger.owner
            ledger.resting = ledger.owner is None
        elif kind == "negation":
            ledger.denied = True
        elif kind == "end":
            ledger.stop()
        before = _before(kind, before, number, units)
    ledger.stop()
    return ledger


def _before(kind: str, before: str, number: int, units: int) -> str:
    """What the next word may lean on: "all the food and water" is all of both."""
    if kind in ("number", "alone") and number in (0, units):
        return "all"
    if kind == "and" and before in ("all", "and-all"):
        return "and-all"
    return kind


def _tokens(low: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(low):
        kind = match.lastgroup or ""
        if match["number"] is not None:
            yield "number", f"{match['number']}\n{match['item']}"
        else:
            yield kind, match[0]


def _count(words: str, units: int) -> int:
    if words == "all":
        return units
    return _NUMBERS[words] if words in _NUMBERS else min(int(words[:6]), 10**6)
