"""The rules of a potluck: a main dish and a dessert, each made by somebody who can, and eaten by both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from attrs import define

from adidem.core.domain import SEATS, Violation, World
from adidem_potluck.terms import Table


@define
class PotluckRules:
    """Both bring a dish of the list, of two courses; each can make their own and eat the other's."""

    name: ClassVar[str] = "potluck"
    families: ClassVar[tuple[str, ...]] = ("potluck",)

    def check(self, world: World, terms: Table) -> Iterable[Violation]:
        """Every violation of a table."""
        dishes: Mapping[str, Mapping[str, Any]] = world.public.facts["dishes"]
        listed = {name: dish for name, dish in terms.brings.items() if dish in dishes}
        for name in world.public.names:
            if name not in listed:
                found = terms.brings.get(name)
                yield Violation("listed", f"{name} brings no dish of the list", None, found, list(dishes))
        courses = [dishes[dish]["course"] for dish in listed.values()]
        if len(courses) == 2 and len(set(courses)) == 1:
            yield Violation("courses", f"both bring a {courses[0]}", None, courses, ["main", "dessert"])
        for seat in SEATS:
            name = world.public.name(seat)
            makes, allergy = world.of(seat, "makes"), world.of(seat, "allergy")
            if makes is not None and name in listed and listed[name] not in makes:
                yield Violation("makes", f"{name} cannot make the {listed[name]}", seat, listed[name], makes)
            for dish in listed.values():
                if allergy is not None and allergy in dishes[dish]["contains"]:
                    yield Violation("allergy", f"{name} cannot eat the {dish}: {allergy}", seat, dish, allergy)
