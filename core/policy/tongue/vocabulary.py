"""The tongue's vocabulary: what every family shares, and the kinds, keys and facts of the families at hand.

It is built from the scenarios to train and to develop on, never from those to test on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import frozen

from adidem.core.contracts import Family
from adidem.core.domain import Scenario
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.place import Place


@frozen(unsafe_hash=False, slots=False)
class Vocabulary:
    """The words in the order of their ids. Raises ValueError where one stands twice or a common one is missing."""

    words: tuple[str, ...]

    def __attrs_post_init__(self) -> None:
        if len(set(self.words)) != len(self.words) or not set(w.COMMON) <= set(self.words):
            raise ValueError("a vocabulary holds every word of the tongue once")

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """Word → id."""
        return {word: number for number, word in enumerate(self.words)}

    def encode(self, words: Iterable[str]) -> list[int]:
        """Ids of words; the unknown word's for those that are not here."""
        ids, unknown = self.ids, self.ids[w.UNKNOWN]
        return [ids.get(word, unknown) for word in words]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Words of ids; the unknown word for an id that is none."""
        return [self.words[i] if 0 <= i < len(self.words) else w.UNKNOWN for i in ids]

    def __len__(self) -> int:
        return len(self.words)


def vocabulary_of(
    families: Mapping[str, Family], scenarios: Iterable[Scenario], surface: Iterable[str] = ()
) -> Vocabulary:
    """The vocabulary of these families, as their scenarios of train and dev show them: the families' names, the kinds
    and keys of private conditions, and those public facts that are numbers, times, people or choices in every one of
    them. `surface` are the words of partners' phrases that are kept as spoken.

    Raises:
        ValueError: one of the scenarios is to be tested on.
    """
    kinds: set[str] = set()
    keys: set[str] = set()
    facts: dict[str, bool] = {}
    for scenario in scenarios:
        if scenario.split == "test":
            raise ValueError(f"{scenario.id} is to be tested on; a vocabulary is made from train and dev")
        place = Place.of(families[scenario.family], scenario.public, "first")
        for condition in (*scenario.a, *(scenario.b or ())):
            kinds.add(condition.kind)
            keys.update(_keys(condition.value, place))
        for name, value in scenario.public.facts.items():
            facts[name] = facts.get(name, True) and _is_plain(value, place)
    found = [
        *(w.family_word(name) for name in sorted(families)),
        *(w.kind_word(kind) for kind in sorted(kinds)),
        *(w.key_word(key) for key in sorted(keys)),
        *(w.fact_word(name) for name in sorted(facts) if facts[name]),
        *(w.surface_word(word) for word in sorted(set(surface))),
    ]
    return Vocabulary((*w.COMMON, *found))


def _keys(value: Any, place: Place) -> Iterable[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if place.text(key) == w.UNKNOWN:
                yield key
            yield from _keys(inner, place)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _keys(inner, place)


def _is_plain(value: Any, place: Place) -> bool:
    """Whether a public fact is told without any prose; mappings and empty lists tell nothing here."""
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not value):
        return False
    return w.UNKNOWN not in place.value(value)
