"""A family that lists a plan twice."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.plans_are_a_space"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def plans(self, world):
        return [*super().plans(world), good.Meeting(good.PLACES[0])]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
