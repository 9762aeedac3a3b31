"""Ears that remember: in training the same text is heard by the partner, the codec, the annotator and the judges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from adidem.core.components import Components
from adidem.core.contracts import Family
from adidem.core.rules import Rules

if TYPE_CHECKING:
    from adidem.core.domain import Heard, Public, Seat

REMEMBERED = 50_000
"""So many heard texts of one family are remembered before all are forgotten."""


class Remembering:
    """A family that hears each text once; in all else it is the family. What it hears must depend on nothing but the
    text, the public context and the speaker, as `Family.hear` promises."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._heard: dict[tuple[int, Seat, str], tuple[Public, Heard]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._family, name)

    def hear(self, text: str, public: Public, speaker: Seat) -> Heard:
        """See `Family`; the public context is told by identity."""
        key = (id(public), speaker, text)
        found = self._heard.get(key)
        if found is None:
            if len(self._heard) >= REMEMBERED:
                self._heard.clear()
            found = self._heard[key] = (public, self._family.hear(text, public, speaker))
        return found[1]


def remembering(family: Family) -> Family:
    """The same family, hearing each text once."""
    return cast("Family", Remembering(family))


def training_rules(components: Components, families: Iterable[str]) -> dict[str, Rules]:
    """The rules of these families, shared by everything in a training run. Raises ConfigError for a name that is
    unknown or switched off."""
    return {
        name: Rules(remembering(components.get("family", name)), components.checkers_for(name)) for name in families
    }
