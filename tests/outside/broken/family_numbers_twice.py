"""A family with two scenarios of one id."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.scenarios_made"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return [self._moved(scenario) for scenario in super().scenarios(split, seed, count)]

    def _moved(self, scenario):
        return evolve(scenario, id=f"{self.name}/{scenario.split}/00")


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
