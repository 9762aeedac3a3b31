"""A family whose rules forbid what is on the list and somebody cannot get to, and forget what is on no list."""

from pathlib import Path

import adidem
from adidem.core.domain import Violation
from adidem.core.sources import import_file

BREAKS = "family.only_plans_pass"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    pass


class Rules:
    name = "meeting_place"
    families = ("meeting_place",)

    def check(self, world, terms):
        for seat in ("first", "second"):
            reach = world.of(seat, "reach")
            if reach is not None and terms.place in set(good.PLACES) - set(reach):
                yield Violation("reach", "somebody cannot get there", seat, terms.place, reach)


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Rules)
