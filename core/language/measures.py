"""What can be counted in how somebody talks: hedges, pronouns, questions, politeness, specific references, sentiment.

Lexicons are in measures.yaml. Sentiment is VADER's compound score (Hutto and Gilbert 2014, ICWSM), of the package
vaderSentiment. The counts hear words, not meaning: they compare ways of talking and prove nothing of one utterance.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from adidem.core.language.scan import Phrases, Scan, Sentence, phrase_at, phrases_of, scan, words_of

MEASURES = (
    "specific_references",
    "hedges",
    "reference_pronouns",
    "first_person",
    "questions_asked",
    "questions_answered",
    "directness",
    "sentiment",
    "sentences",
    "exclamations",
    "politeness",
)
"""In the order in which `measures` gives them."""

SHARES = ("questions_answered", "directness")
"""Measures in [0, 1]; `sentiment` is in [-1, 1], all others are counts from 0."""


@lru_cache(maxsize=2048)
def _measured(text: str) -> tuple[float, ...]:
    at = scan(text)
    hedges, politeness = count_phrases(at.tokens, "hedges"), count_phrases(at.tokens, "politeness")
    asked = sum("?" in sentence.mark for sentence in at.sentences)
    return (
        float(len(at.references)),
        float(hedges),
        float(count_words(at.tokens, "reference_pronouns")),
        float(count_words(at.tokens, "first_person")),
        float(asked),
        float(_answers(at)),
        _directness(at),
        compound(text),
        float(len(at.sentences)),
        float(sum("!" in sentence.mark for sentence in at.sentences)),
        float(politeness),
    )


def measures(text: str) -> dict[str, float]:
    """Every measure of one utterance, by name, in the order of `MEASURES`.

    Counts are per utterance. `questions_answered` is 1 where a sentence opens with a plain yes or no (or the like) or
    a statement names something specific, so that the utterance can answer a question, else 0. `directness` is the share
    of sentences with no hedge, no politeness and no way of leaving the matter open; 0 where there is no sentence.
    """
    return dict(zip(MEASURES, _measured(text), strict=True))


@lru_cache(maxsize=2048)
def compound(text: str) -> float:
    """VADER's compound score of a text, in [-1, 1]; 0 where no word has a valence."""
    score: float = _vader().polarity_scores(text)["compound"]
    return score


@cache
def _vader() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def count_words(tokens: Sequence[str], name: str) -> int:
    """How many tokens stand in a lexicon of single words."""
    listed = words_of(name)
    return sum(token in listed for token in tokens)


def count_phrases(tokens: Sequence[str], name: str) -> int:
    """How many phrases of a lexicon stand in the tokens, none overlapping another."""
    phrases = phrases_of(name)
    count = place = 0
    while place < len(tokens):
        length = phrase_at(tokens, place, phrases) if tokens[place] in phrases else 0
        count += length > 0
        place += length or 1
    return count


def _answers(at: Scan) -> bool:
    openers = words_of("answers")
    for sentence in at.sentences:
        if at.tokens[sentence.first] in openers:
            return True
        asked = "?" in sentence.mark
        if not asked and any(sentence.start <= r.start < sentence.end for r in at.references):
            return True
    return False


def _directness(at: Scan) -> float:
    if not at.sentences:
        return 0.0
    cushions = [phrases_of(name) for name in ("hedges", "politeness", "indirect")]
    return sum(not _cushioned(at.tokens, s, cushions) for s in at.sentences) / len(at.sentences)


def _cushioned(tokens: Sequence[str], sentence: Sentence, cushions: Sequence[Phrases]) -> bool:
    return any(
        tokens[place] in phrases and phrase_at(tokens, place, phrases)
        for phrases in cushions
        for place in range(sentence.first, sentence.last)
    )
