"""A family whose public facts hold a private value."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.cards_are_private"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        return [self._moved(scenario) for scenario in super().scenarios(split, seed, count)]

    def _moved(self, scenario):
        ((one, _),) = scenario.differing
        a, b = (_with_reason(side) for side in (scenario.a, scenario.b))
        facts = {"hint": {"places": one.value, "why": "the train"}}
        return evolve(scenario, a=a, b=b, public=evolve(scenario.public, facts=facts))


def _with_reason(side):
    return tuple(evolve(c, value={"places": c.value, "why": "the train"}) for c in side)


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
