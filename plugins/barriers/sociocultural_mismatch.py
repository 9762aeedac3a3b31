"""Sociocultural mismatch: one side speaks by the rules of a high-context culture, and the other does not know them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from attrs import define

from adidem.core.contracts import Barrier
from adidem.core.hookspecs import Register, hookimpl
from adidem.plugins.barriers._barrier import PatternedBarrier, Site, cue_lists, cues, openings, references

if TYPE_CHECKING:
    from adidem.core.language.scan import Scan


@define
class SocioculturalMismatch(PatternedBarrier):
    """Courtesies come before the matter, a yes or a no becomes "we will think about it", questions become statements,
    and limits are implied. Text and sources are in sociocultural_mismatch.yaml."""

    name: ClassVar[str] = "sociocultural_mismatch"

    def sites(self, at: Scan) -> Iterable[Site]:
        """References, plain answers, statements that may be cushioned, and questions that may become statements."""
        lists = cue_lists(self.name)
        kept, named = set(lists["not_as_statement"]), references(at)
        answers = [site for kind in ("answer", "assent", "refusal") for site in cues(at, kind, lists, named)]
        asked = [
            site._replace(also=((sentence.end, sentence.close, "."),))
            for site, sentence in zip(openings(at, "question"), at.sentences, strict=True)
            if "?" in sentence.mark and not kept.intersection(at.tokens[sentence.first : sentence.last])
        ]
        return [*named, *answers, *openings(at, "courtesy", asked=False), *asked]


@hookimpl
def adidem_register_barriers(register: Register[Barrier]) -> None:
    """Sociocultural mismatch."""
    register(SocioculturalMismatch)
