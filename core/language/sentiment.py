"""How a text feels: VADER's compound score (Hutto and Gilbert 2014, ICWSM), of the package vaderSentiment.

The package weighs every word of a text anew, and it takes as long as all other measures together. Here a word of its
lexicon is given to it once for every neighbourhood that it can tell apart; a test holds the result to the package's.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

_LOOKED_AT = frozenset("no or nor least at so this doubt".split())
"""Words that the package's checks name, beside its negations, its boosters and its idioms."""


@lru_cache(maxsize=512)
def compound(text: str) -> float:
    """VADER's compound score of a text, in [-1, 1]; 0 where no word has a valence."""
    score: float = _vader().compound(text)
    return score


@cache
def _vader() -> _Vader:
    return _Vader(import_module("vaderSentiment.vaderSentiment"))


class _Vader:
    """The package's analyser, by a shorter way to the same compound score of a text without emoji."""

    def __init__(self, vader: Any) -> None:
        analyzer = vader.SentimentIntensityAnalyzer()
        lexicon, boosters = analyzer.lexicon, vader.BOOSTER_DICT
        phrases = (*vader.SPECIAL_CASES, *boosters, *vader.NEGATE)
        active = _LOOKED_AT | {word for phrase in phrases for word in phrase.split()}
        weighty = next(word for word in lexicon if word not in active)

        @lru_cache(maxsize=65536)
        def heard(word: str) -> tuple[str, str, bool, bool]:
            """A word without its marks, the same in small letters, whether it is in capitals, whether it has a valence
            of its own."""
            bare: str = vader.SentiText._strip_punc_if_word(word)
            low = bare.lower()
            return bare, low, bare.isupper(), low in lexicon and low not in boosters

        @lru_cache(maxsize=65536)
        def neighbour(word: str) -> str:
            """A word as its neighbours hear it: itself where a check names it, else only whether it has a valence."""
            low = word.lower()
            return word if low in active or "n't" in low else weighty if low in lexicon else "_"

        @lru_cache(maxsize=65536)
        def valence(before: tuple[str, ...], word: str, behind: tuple[str, ...], mixed: bool) -> float:
            """What the package gives a word, given the three before it and the two behind it, which are all that it
            looks at, and whether some words but not all are in capitals."""
            at = SimpleNamespace(words_and_emoticons=[*before, word, *behind], is_cap_diff=mixed)
            found: list[float] = analyzer.sentiment_valence(0, at, word, len(before), [])
            return found[0]

        self.analyzer, self.normalize = analyzer, vader.normalize
        self.heard, self.neighbour, self.valence = heard, neighbour, valence

    def compound(self, text: str) -> float:
        score: float
        if not text.isascii() and not self.analyzer.emojis.keys().isdisjoint(text):
            score = self.analyzer.polarity_scores(text)["compound"]
            return score
        found = self._valences(list(map(self.heard, text.split())))
        total = float(sum(found))
        emphasis = self.analyzer._punctuation_emphasis(text) if total else 0.0
        score = round(self.normalize(total + (emphasis if total > 0 else -emphasis)), 4)
        return score

    def _valences(self, heard: list[tuple[str, str, bool, bool]]) -> list[float]:
        found: list[float] = [0] * len(heard)
        weighty = [place for place, word in enumerate(heard) if word[3]]
        if not weighty:
            return found
        words, low, capitals, _ = zip(*heard, strict=True)
        mixed = 0 < sum(capitals) < len(words)
        for i in weighty:
            if not (low[i] == "kind" and low[i + 1 : i + 2] == ("of",)):
                before = tuple(map(self.neighbour, words[max(0, i - 3) : i]))
                found[i] = self.valence(before, words[i], tuple(map(self.neighbour, words[i + 1 : i + 3])), mixed)
        if "but" in low:
            _turned(found, low.index("but"))
        return found


def _turned(found: list[float], at: int) -> None:
    """VADER's `_but_check`, which looks each value up by its first place: halved before the word at `at`, half as much
    again behind it. Zeros stay what they are."""
    for place in [place for place, value in enumerate(found) if value]:
        value = found[place]
        first = found.index(value)
        if first != at:
            found[first] = value * (0.5 if first < at else 1.5)
