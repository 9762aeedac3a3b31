"""A family whose fast enumeration takes what is not known for impossible."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.passing_is_the_enumeration"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def passing(self, world):
        reach = [world.of(seat, "reach") or () for seat in ("first", "second")]
        return [plan for plan in self.plans(world) if all(plan.place in places for places in reach)]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
