"""Semantic vagueness: what is meant stays unnamed. "That", "the other thing", "around then", hedges, no plain yes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from attrs import define

from adidem.core.contracts import Barrier
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.barriers._barrier import PatternedBarrier, Site, cue_lists, cues, endings, references

if TYPE_CHECKING:
    from adidem.core.language.scan import Scan


@define
class SemanticVagueness(PatternedBarrier):
    """Numbers, times, names and items give way to pointing words, sentences end in hedges, and a yes loses its form.
    Text and sources are in semantic_vagueness.yaml."""

    name: ClassVar[str] = "semantic_vagueness"

    def sites(self, at: Scan) -> Iterable[Site]:
        """References, the words of assent, and the end of each sentence."""
        lists = cue_lists(self.name)
        named = references(at)
        return [*named, *cues(at, "answer", lists, named), *cues(at, "assent", lists, named), *endings(at, "hedge")]


@hookimpl
def adidem_register_barriers(register: Register[Barrier]) -> None:
    """Semantic vagueness."""
    register(SemanticVagueness)
