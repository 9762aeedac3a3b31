"""A family whose two worlds differ in two conditions."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.pairs_hold"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return [self._moved(scenario) for scenario in super().scenarios(split, seed, count)]

    def _moved(self, scenario):
        less = [evolve(c, value=c.value[:1], text=self._sentence(c.value[:1])) for c in scenario.b]
        return evolve(scenario, b=tuple(less))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
