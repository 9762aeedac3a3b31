"""A family whose fast enumeration forgets the second role."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.passing_is_the_enumeration"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def passing(self, world):
        reach = world.of("first", "reach") or good.PLACES
        return [plan for plan in self.plans(world) if plan.place in reach]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
