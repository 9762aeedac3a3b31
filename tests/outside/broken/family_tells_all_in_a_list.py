"""A family whose public facts hold the private list as it is."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.cards_are_private"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return [self._told(scenario) for scenario in super().scenarios(split, seed, count)]

    def _told(self, scenario):
        ((one, _),) = scenario.differing
        return evolve(scenario, public=evolve(scenario.public, facts={"tickets": list(one.value)}))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
