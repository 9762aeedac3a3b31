"""Which turn made the condition in which the two worlds differ available to the tested role.

Its own card is available from the start. What the partner holds is available once it was said: by the ears, exact for
scripted partners; by a frozen model, which must quote the words, for partners who talk freely (`disclosure_asked`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.domain import Condition, Conversation, Task
from adidem.core.knowledge import Knowledge
from adidem.core.rules import Rules

ANNOTATOR = "annotator"
"""What a rollout's `extra` calls why the annotator could not say."""

OWN = -1
"""The turn of what was known before the first turn."""


@frozen
class Disclosed:
    """`turn`: the index of the turn that made the differing condition available, OWN where it stood on the own card,
    None where it never was. `why` is what an annotator could not do, None where it could."""

    turn: int | None
    why: str | None = None

    def by(self, reached: int) -> bool:
        """Whether it was available when the turn of that index was the last."""
        return self.turn is not None and self.turn <= reached


def differing(task: Task) -> Condition | None:
    """The condition in which the worlds differ, as it is in the task's world; None where there is none."""
    pairs = task.scenario.differing
    return None if not pairs else pairs[0][0 if task.world == "a" else 1]


def may_be_told(task: Task, conversation: Conversation) -> bool:
    """Whether the partner holds the differing condition and said anything: else there is nothing to annotate."""
    condition = differing(task)
    if condition is None or condition.owner == task.seat:
        return False
    return any(turn.seat == condition.owner for turn in conversation)


def disclosed_by_ears(rules: Rules, task: Task, conversation: Conversation) -> Disclosed:
    """Exact for the own card and for scripted partners: the first turn after which all that differs between the worlds
    had been heard rightly."""
    condition = differing(task)
    if condition is None:
        return Disclosed(None)
    if condition.owner == task.seat:
        return Disclosed(OWN)
    other = task.scenario.differing[0][1 if task.world == "a" else 0]
    listener = Knowledge(rules, task.scenario.world(task.world).card(task.seat))
    heard = listener.hear(conversation)
    for place, turn in enumerate(heard):
        if turn.turn.seat == condition.owner and any(fact.kind == condition.kind for fact in turn.heard.facts):
            known = listener.of_partner(heard[: place + 1]).get(condition.kind)
            if _tells_apart(condition.value, other.value, known):
                return Disclosed(turn.turn.index)
    return Disclosed(None)


def _tells_apart(here: Any, there: Any, known: Any) -> bool:
    """Whether what is known says of each part in which the two values differ that it is as here."""
    if known is None:
        return False
    if isinstance(here, Mapping) and isinstance(there, Mapping):
        parts = [key for key in {**here, **there} if here.get(key) != there.get(key)]
        return isinstance(known, Mapping) and all(_equal(here.get(key), known.get(key)) for key in parts)
    return _equal(here, known)


def _equal(value: Any, known: Any) -> bool:
    """Lists count in any order, and an empty one is known where nothing of it was named."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            return not known
        return isinstance(known, Sequence) and sorted(map(repr, map(_plain, value))) == sorted(
            map(repr, map(_plain, known))
        )
    return bool(value == known)


def _plain(value: Any) -> Any:
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
