"""The law of private cards: what both roles are given does not say what is private, nor which of the worlds it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from adidem.core.domain import Condition, Public, Scenario
from adidem.core.kit.law import Broken
from adidem.core.kit.render import plain
from adidem.core.kit.subject import Subject
from adidem.core.language import sentences

SHARE = 0.5
"""A single word or number may stand in public for another reason; in so many of the scenarios it does not."""


@frozen
class _Leak:
    """Where the public context of a scenario says what one world's card holds, and the other's does not."""

    scenario: str
    condition: Condition
    place: str
    sure: bool


def cards_are_private(subject: Subject) -> Broken | None:
    """Nothing public says what is private: neither the sentence nor the value of a differing condition stands in what
    both roles are given. A value of one part alone counts where that is so in many scenarios."""
    scenarios = subject.own.scenarios
    told = [leak for scenario in scenarios for leak in _leaks(scenario)]
    sure = next((leak for leak in told if leak.sure), None)
    if sure is not None:
        return _broken(sure)
    if told and len({leak.scenario for leak in told}) >= max(2, SHARE * len(scenarios)):
        return _broken(told[0])
    return None


def _broken(leak: _Leak) -> Broken:
    condition = leak.condition
    held = f"{condition.kind!r} of {condition.owner}"
    lines = (f"its sentence: {plain(condition.text)}", f"its value: {plain(condition.value)}")
    return Broken(f"{leak.scenario}: the differing condition {held} stands in {leak.place}", lines)


def _leaks(scenario: Scenario) -> Iterator[_Leak]:
    """The places of the public context from which somebody could tell in which world they are."""
    for one, two in scenario.differing:
        for condition, beside in ((one, two), (two, one)):
            sure = len(_parts(condition.value)) > 1
            for place, exact in _places(scenario.public, condition, beside):
                yield _Leak(scenario.id, condition, place, sure or exact)


def _places(public: Public, condition: Condition, beside: Condition) -> Iterator[tuple[str, bool]]:
    """Each place that holds a condition (of one part alone: and not what the other world has in its stead), and whether
    it holds its very sentence."""
    sentence = condition.text.strip()
    for place, text in _texts(public).items():
        if sentence and sentence in text:
            yield place, True
        elif any(_says(said.text, condition.value, beside.value) for said in sentences(text)):
            yield place, False
    for name, value in public.shown().facts.items():
        held = list(_values(value))
        if any(sentence and isinstance(part, str) and sentence in part for part in held):
            yield f"public.facts[{name!r}]", True
        elif condition.value in held and (beside.value not in held or len(_parts(condition.value)) > 1):
            yield f"public.facts[{name!r}]", False


def _texts(public: Public) -> Mapping[str, str]:
    return {
        "the story": public.story,
        "the brief": public.brief,
        **{f"what is said of {role.name}": role.about for role in public.roles},
    }


def _says(text: str, value: Any, other: Any) -> bool:
    """Whether a sentence names every part of a value, and not every part of the other."""
    low = text.casefold()
    ours, theirs = _parts(value), _parts(other)
    return bool(ours - theirs) and _names(low, ours) and not _names(low, theirs)


def _names(low: str, parts: frozenset[str]) -> bool:
    return all(re.search(rf"(?<![\w.]){re.escape(part)}(?!\w)", low) for part in parts)


def _parts(value: Any) -> frozenset[str]:
    """Every text and number inside a JSON value, in small letters."""
    plain_values = (part for part in _values(value) if isinstance(part, str | int | float))
    return frozenset(str(part).casefold() for part in plain_values if not isinstance(part, bool))


def _values(value: Any) -> Iterator[Any]:
    """A JSON value, and every value inside it."""
    yield value
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _values(part)
