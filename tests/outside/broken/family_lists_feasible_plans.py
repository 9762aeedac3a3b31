"""A family that lists the plans that fit, in place of all that one could write down."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.plans_are_a_space"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def plans(self, world):
        reach = [world.of(seat, "reach") or good.PLACES for seat in ("first", "second")]
        return [plan for plan in super().plans(world) if all(plan.place in places for places in reach)]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
