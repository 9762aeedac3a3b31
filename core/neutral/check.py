"""What of either goal is still in a text: its words, its verbs, its amounts with their units, its roles."""

from __future__ import annotations

from typing import Any

from attrs import asdict, frozen

from adidem.core.neutral.private import Private, amounts, bases, is_verb, private_of, words
from adidem.core.neutral.rules import facts, is_role


@frozen
class Leaks:
    """What survives: `words`, `verbs`, `amounts` and `roles` of the first goal and of the second, and the public
    `facts` that the two need to play. Words alone are no proof of a leak; the other three are."""

    words: tuple[tuple[str, ...], tuple[str, ...]]
    verbs: tuple[tuple[str, ...], tuple[str, ...]]
    amounts: tuple[tuple[str, ...], tuple[str, ...]]
    roles: tuple[tuple[str, ...], tuple[str, ...]]
    facts: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """No verb, amount or role of either goal is in it."""
        return not any(part for pair in (self.verbs, self.amounts, self.roles) for part in pair)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "clean": self.clean}


def leaks(text: str, goals: tuple[str, str]) -> Leaks:
    """What of either goal (without tags) is still in a text."""
    found = (private_of(goals[0]), private_of(goals[1]))
    first, second = (_survivors(text, goal) for goal in found)
    return Leaks(
        (first["words"], second["words"]),
        (first["verbs"], second["verbs"]),
        (first["amounts"], second["amounts"]),
        (first["roles"], second["roles"]),
        facts(text, found),
    )


def _survivors(text: str, goal: Private) -> dict[str, tuple[str, ...]]:
    said = list(words(text))
    found = {
        "words": [word.text for word in said if not bases(word.text).isdisjoint(goal.words)],
        "verbs": [word.text for word in said if is_verb(word, goal.verbs)],
        "amounts": [amount.text for amount in amounts(text) if amount.unit and amount.key in goal.amounts],
        "roles": [word.text for word in said if is_role(word, goal)],
    }
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}
