"""A family that gives the same number of scenarios whatever is asked for."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.scenarios_made"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return super().scenarios(split, seed, 2)


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
