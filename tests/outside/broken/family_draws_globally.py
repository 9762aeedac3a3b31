"""A family that draws from Python's global generator."""

import random
from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.scenarios_repeat"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return [self._moved(scenario) for scenario in super().scenarios(split, seed, count)]

    def _moved(self, scenario):
        names = random.choice(good.NAMES)  # noqa: TID251 (the fault)
        roles = tuple(evolve(role, name=name) for role, name in zip(scenario.public.roles, names, strict=True))
        return evolve(scenario, public=evolve(scenario.public, roles=roles))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
