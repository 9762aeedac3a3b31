"""What can be counted in how somebody talks: hedges, pronouns, questions, politeness, specific references, sentiment.

Lexicons are in measures.yaml; sentiment is sentiment.py's. The counts hear words, not meaning: they compare ways of
talking and prove nothing of one utterance.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache, lru_cache

from adidem.core.language.scan import CUSHIONS, Phrases, Scan, Sentence, Sort, phrase_at, phrases_of, scan, words_of
from adidem.core.language.sentiment import compound

MEASURES = (
    "specific_references",
    "hedges",
    "reference_pronouns",
    "first_person",
    "questions_asked",
    "questions_answered",
    "directness",
    "sentences",
    "exclamations",
    "politeness",
    "sentiment",
)
"""In the order in which `measures` gives them."""

SHARES = ("questions_answered", "directness")
"""Measures in [0, 1]; `sentiment` is in [-1, 1], all others are counts from 0."""


_COUNTED = Sort.REFERENCE_PRONOUN | Sort.FIRST_PERSON | Sort.CUSHION


@lru_cache(maxsize=512)
def _counted(text: str) -> tuple[float, ...]:
    at = scan(text)
    marked = [(place, sort) for place, sort in enumerate(at.sorts) if sort & _COUNTED]
    cushions = _cushions(at.tokens, [place for place, sort in marked if sort & Sort.CUSHION])
    marks = [sentence.mark for sentence in at.sentences]
    found = (
        len(at.references),
        len(cushions["hedges"]),
        len([sort for _, sort in marked if sort & Sort.REFERENCE_PRONOUN]),
        len([sort for _, sort in marked if sort & Sort.FIRST_PERSON]),
        len([mark for mark in marks if "?" in mark]),
        _answers(at),
        _directness(at.sentences, [place for places in cushions.values() for place in places]),
        len(marks),
        len([mark for mark in marks if "!" in mark]),
        len(cushions["politeness"]),
    )
    return tuple(map(float, found))


def measures(text: str) -> dict[str, float]:
    """Every measure of one utterance, by name, in the order of `MEASURES`.

    Counts are per utterance. `questions_answered` is 1 where a sentence opens with a plain yes or no (or the like) or
    a statement names something specific, so that the utterance can answer a question, else 0. `directness` is the share
    of sentences with no hedge, no politeness and no way of leaving the matter open; 0 where there is no sentence.
    """
    return {**counts(text), "sentiment": compound(text)}


def counts(text: str) -> dict[str, float]:
    """All of `measures` but the sentiment, which takes as long as the rest together."""
    return dict(zip(MEASURES, _counted(text), strict=False))


def _cushions(tokens: tuple[str, ...], starts: Sequence[int]) -> dict[str, list[int]]:
    """Where the phrases of each lexicon of `CUSHIONS` start, none overlapping another of its lexicon; `starts` are the
    places at which one may."""
    found: dict[str, list[int]] = {name: [] for name in CUSHIONS}
    done = dict.fromkeys(CUSHIONS, 0)
    by_first, openings = _by_first(), _openings()
    for place in [p for p in starts if tokens[p] in openings or tokens[p : p + 2] in openings]:
        for name, phrases in by_first[tokens[place]]:
            length = phrase_at(tokens, place, phrases) if place >= done[name] else 0
            if length:
                found[name].append(place)
                done[name] = place + length
    return found


@cache
def _by_first() -> dict[str, list[tuple[str, Phrases]]]:
    """For each word that a phrase of a lexicon starts with, the lexicons that have one."""
    firsts = {first for name in CUSHIONS for first in phrases_of(name)}
    return {first: [(name, phrases_of(name)) for name in CUSHIONS if first in phrases_of(name)] for first in firsts}


@cache
def _openings() -> frozenset[str | tuple[str, ...]]:
    """The phrases of one word, and the first two words of the others."""
    phrases = [phrase for name in CUSHIONS for same in phrases_of(name).values() for phrase in same]
    return frozenset(phrase[0] if len(phrase) == 1 else phrase[:2] for phrase in phrases)


def _answers(at: Scan) -> bool:
    """Whether a sentence opens with a plain yes or no, or a statement names something specific."""
    openers = words_of("answers")
    starts = [reference.start for reference in at.references]
    for sentence in at.sentences:
        if at.tokens[sentence.first] in openers:
            return True
        if "?" not in sentence.mark and bisect_left(starts, sentence.start) < bisect_left(starts, sentence.end):
            return True
    return False


def _directness(sentences: Sequence[Sentence], cushions: Sequence[int]) -> float:
    """The share of sentences in which none of the cushions starts."""
    if not sentences:
        return 0.0
    if not cushions:
        return 1.0
    places = sorted(cushions)
    direct = [s for s in sentences if bisect_left(places, s.first) == bisect_left(places, s.last)]
    return len(direct) / len(sentences)
