"""How much of what somebody privately knows reached the other in a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adidem.core.domain import Condition, Conversation, Seat, World, other
from adidem.core.knowledge import Knowledge
from adidem.core.rules import Rules


def reached(rules: Rules, world: World, seat: Seat, conversation: Conversation) -> float | None:
    """The share, in [0, 1], of the private conditions of the person in `seat` that the family's ears hear in that
    person's words, as the other hears them; None where the person has none.

    A condition counts as much as the share of its parts that were heard rightly: the keys of a mapping, the entries of
    a list, else the value itself. What was said later stands, as for scripted listeners.
    """
    own = [condition for condition in world.conditions if condition.owner == seat]
    if not own:
        return None
    listener = Knowledge(rules, world.card(other(seat)))
    heard = listener.of_partner(listener.hear(conversation))
    return sum(_right(condition.value, heard.get(condition.kind)) for condition in own) / len(own)


def reached_by_turn(rules: Rules, world: World, condition: Condition, conversation: Conversation) -> tuple[float, ...]:
    """The share, in [0, 1], of one private condition that the other has heard from its owner after each turn."""
    listener = Knowledge(rules, world.card(other(condition.owner)))
    heard = listener.hear(conversation)
    return tuple(
        _right(condition.value, listener.of_partner(heard[: turn + 1]).get(condition.kind))
        for turn in range(len(heard))
    )


def _right(true: Any, heard: Any) -> float:
    if isinstance(true, Mapping) and true:
        if not isinstance(heard, Mapping):
            return 0.0
        return sum(_right(value, heard.get(key)) for key, value in true.items()) / len(true)
    if isinstance(true, list | tuple | set | frozenset) and true:
        if not isinstance(heard, list | tuple | set | frozenset):
            return 0.0
        known = [_plain(value) for value in heard]
        return sum(_plain(value) in known for value in true) / len(true)
    return float(heard is not None and _plain(true) == _plain(heard))


def _plain(value: Any) -> Any:
    """Tuples as lists, so that a value read from JSON equals one that was heard."""
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
