"""A family whose two worlds have a correct plan in common."""

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
        ((one, two),) = scenario.differing
        both = sorted({*one.value, *two.value})
        moved = evolve(two, value=both, text=self._sentence(both))
        return evolve(scenario, b=tuple(moved if condition == two else condition for condition in scenario.b))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
