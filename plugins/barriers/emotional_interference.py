"""Emotional interference: strong feeling takes up the room. Self-focus, complaints, a sharp tone, details lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from attrs import define

from adidem.core.contracts import Barrier
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.barriers._barrier import PatternedBarrier, Site, cue_lists, cues, marks, openings, references

if TYPE_CHECKING:
    from adidem.core.language.scan import Scan


@define
class EmotionalInterference(PatternedBarrier):
    """Task details are lost to the speaker's own state, complaints open sentences, courtesies turn sharp and full stops
    turn into exclamation marks. Text and sources are in emotional_interference.yaml."""

    name: ClassVar[str] = "emotional_interference"

    def sites(self, at: Scan) -> Iterable[Site]:
        """References, courtesies, and the start and the full stop of each sentence."""
        named = references(at)
        curt = cues(at, "courtesy", cue_lists(self.name), named)
        return [*named, *curt, *openings(at, "complaint"), *marks(at, "shout")]


@hookimpl
def adidem_register_barriers(register: Register[Barrier]) -> None:
    """Emotional interference."""
    register(EmotionalInterference)
