"""How a potluck is heard: who says what they can make, what they cannot eat, and who is to bring what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from adidem.core.domain import Fact, Heard, Plan, Public, Seat, Text, other
from adidem_potluck.terms import Table

MAKES = r"\bI (?:can|could) (?:make|cook|bake)\b([^.!?\n]*)"
ALLERGY = r"\b(?:allergic to|no) ({})\b"


def hear(text: str, public: Public, speaker: Seat) -> Heard:
    """Facts about the speaker, and a plan where the utterance gives each of the two exactly one dish."""
    dishes = list(public.facts["dishes"])
    plan = _plan(text, public, speaker, dishes)
    return Heard((*_makes(text, dishes), *_allergies(text, public)), (plan,) if plan is not None else ())


def _makes(text: str, dishes: Sequence[str]) -> Iterator[Fact]:
    for found in re.finditer(MAKES, text):
        named = [dish for dish in dishes if re.search(rf"\b{dish}\b", found[1], re.IGNORECASE)]
        if named:
            yield Fact("makes", named, "speaker", found.start(), found.end())


def _allergies(text: str, public: Public) -> Iterator[Fact]:
    contents = sorted({c for dish in public.facts["dishes"].values() for c in dish["contains"]}, key=len, reverse=True)
    for found in re.finditer(ALLERGY.format("|".join(contents)), text):
        yield Fact("allergy", found[1], "speaker", found.start(), found.end())


def _plan(text: str, public: Public, speaker: Seat, dishes: Sequence[str]) -> Plan | None:
    """Both people's dishes, where both are said and neither twice."""
    people = {"I": public.name(speaker), "you": public.name(other(speaker)), **{name: name for name in public.names}}
    pattern = rf"\b({'|'.join(people)})(?: could| can| will|'ll)? brings? the ({'|'.join(dishes)})\b"
    said: dict[str, tuple[str, re.Match[str]]] = {}
    for found in re.finditer(pattern, text):
        who = people[found[1]]
        if who in said and said[who][0] != found[2]:
            return None
        said[who] = (found[2], found)
    if set(said) != set(public.names):
        return None
    brings: Mapping[str, Text] = {name: Text(said[name][0]) for name in public.names}
    spans = [found.span() for _, found in said.values()]
    return Plan(Table(brings), min(start for start, _ in spans), max(end for _, end in spans))
