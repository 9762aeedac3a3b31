"""What the policy says: its words are read as acts, and the acts said as a person would say them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

import yaml
from attrs import frozen

from adidem.core.domain import Condition, RoleCard, Turn
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.place import Place

MOST_ACTS = 4

Act: TypeAlias = tuple[str, Any]
"""The act's word, and what it is about: a kind of condition to tell, typed terms to offer or to defer with, or None."""


@frozen(unsafe_hash=False)
class Saying:
    """An utterance before it gets its turn: what is said, and whether the speaker leaves with it."""

    text: str
    leaves: bool = False


@cache
def phrases() -> Mapping[str, Sequence[str]]:
    """The policy's phrases for each act."""
    text = resources.files(__package__).joinpath("phrases.yaml").read_text(encoding="utf-8")
    found: dict[str, list[str]] = yaml.safe_load(text)
    return found


def read_acts(words: Sequence[str], place: Place, card: RoleCard) -> list[Act] | None:
    """The acts that the words of an utterance mean, one to MOST_ACTS; None where they mean nothing."""
    found: list[Act] = []
    for act, rest in _split(words):
        about = _about(act, rest, place, card)
        if about is _NOTHING or len(found) == MOST_ACTS:
            return None
        found.append((act, about))
    return found or None


def act_words(act: Act, place: Place) -> list[str]:
    """The words of an act."""
    name, about = act
    if name == w.TELL:
        return [name, w.kind_word(about)]
    return [name] if about is None else [name, *place.plan(about)]


def say(acts: Sequence[Act], place: Place, card: RoleCard, index: int) -> Saying:
    """The acts said one after the other."""
    parts = [_say(act, place, card, index) for act in acts]
    return Saying(" ".join(part for part in parts if part), any(name == w.BYE for name, _ in acts))


def raw(words: Sequence[str]) -> str:
    """What is said by words that mean nothing: the words themselves, as the output format that they are."""
    return json.dumps({"say": " ".join(words)})


def turn(words: Sequence[str], place: Place, card: RoleCard, index: int) -> Turn:
    """The turn that the words of an utterance make."""
    acts = read_acts(words, place, card)
    if acts is None:
        return Turn(index, card.seat, raw(words))
    said = say(acts, place, card, index)
    return Turn(index, card.seat, said.text, "leave" if said.leaves else "speak")


_NOTHING = object()


def _split(words: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """The words act by act; words before the first act make an act of their own, which means nothing."""
    starts = [n for n, word in enumerate(words) if word in w.ACTS]
    if words and (not starts or starts[0] > 0):
        starts.insert(0, 0)
    for n, start in enumerate(starts):
        yield words[start], words[start + 1 : starts[n + 1] if n + 1 < len(starts) else len(words)]


def _about(act: str, rest: Sequence[str], place: Place, card: RoleCard) -> Any:
    if act == w.TELL:
        kinds = [c.kind for c in card.conditions if [w.kind_word(c.kind)] == list(rest)]
        return kinds[0] if kinds else _NOTHING
    kind = {w.OFFER: place.family.terms, w.DEFER: place.family.defer_terms}.get(act)
    if kind is not None:
        terms = place.read_plan(kind, rest)
        return _NOTHING if terms is None else terms
    return None if act in w.ACTS and act not in (w.OFFER, w.DEFER) and not rest else _NOTHING


def _say(act: Act, place: Place, card: RoleCard, index: int) -> str:
    name, about = act
    if name == w.TELL:
        return place.family.tell(_condition(card, about), card.public)
    if name == w.ASK:
        return question(place)
    plan = "" if about is None else place.family.say(about, card.public)
    listed = phrases()[name]
    return listed[index // 2 % len(listed)].format(plan=plan)


def question(place: Place) -> str:
    """How the one in this seat asks for what the other privately needs."""
    ask = getattr(place.family, "ask", None)
    return str(ask(place.public, place.seat)) if ask is not None else phrases()[w.ASK][0]


def _condition(card: RoleCard, kind: str) -> Condition:
    return next(condition for condition in card.conditions if condition.kind == kind)
