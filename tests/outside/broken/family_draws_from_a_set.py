"""A family that draws from a set, whose order is another in each process."""

from pathlib import Path
from random import Random

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.scenarios_repeat_elsewhere"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return [self._renamed(scenario) for scenario in super().scenarios(split, seed, count)]

    def _renamed(self, scenario):
        names = list({name for pair in good.NAMES for name in pair})
        Random(scenario.id).shuffle(names)
        roles = tuple(evolve(role, name=name) for role, name in zip(scenario.public.roles, names, strict=False))
        return evolve(scenario, public=evolve(scenario.public, roles=roles))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
