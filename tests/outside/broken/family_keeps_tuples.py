"""A family whose conditions hold what JSON cannot: a tuple comes back as a list."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.scenarios_are_data"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return [self._moved(scenario) for scenario in super().scenarios(split, seed, count)]

    def _moved(self, scenario):
        a, b = ([evolve(c, value=tuple(c.value)) for c in side] for side in (scenario.a, scenario.b))
        return evolve(scenario, a=tuple(a), b=tuple(b))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
