"""A factual error: a claim about oneself that the own card denies, unless the same person puts it right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adidem.core.contracts import Case, denied
from adidem.core.domain import SEATS, Flag, RoleCard
from adidem.core.language import Act, find_numbers, sentences
from adidem.core.listening import HeardTurn


def errors(case: Case, heard: Sequence[HeardTurn]) -> Iterable[Flag]:
    """One flag for each kind of claim by each person that stands uncorrected at the end."""
    for seat in SEATS:
        card = case.world.card(seat)
        standing: dict[str, Flag] = {}
        for turn in heard:
            if turn.turn.seat == seat:
                _follow(case, card, turn, standing)
        yield from standing.values()


def _follow(case: Case, card: RoleCard, turn: HeardTurn, standing: dict[str, Flag]) -> None:
    if Act.CORRECT in turn.acts and _says_the_truth(turn.turn.text, card):
        standing.clear()
    for fact in turn.heard.facts:
        if fact.about != "speaker":
            continue
        why = denied(fact, card, case.family)
        if why is None:
            standing.pop(fact.kind, None)
        else:
            quote = _sentence(turn.turn.text, fact.start, fact.end)
            standing.setdefault(fact.kind, Flag("factual_error", card.seat, turn.turn.index, quote, why))


def _says_the_truth(text: str, card: RoleCard) -> bool:
    """Whether a correcting turn names a number of the own card."""
    own = {value for condition in card.conditions for value in _numbers(condition.value)}
    return any(mention.value in own for mention in find_numbers(text))


def _numbers(value: Any) -> Iterable[float]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _sentence(text: str, start: int, end: int) -> str:
    for span in sentences(text):
        if span.start <= start < span.end:
            return text[span.start : max(span.end, min(end, len(text)))]
    return text[start:end] or text
