"""A family that tells a model speaker what the other's card says."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.what_it_has_besides_serves"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def __init__(self):
        self.known = {}

    def scenarios(self, split, seed, count):
        found = super().scenarios(split, seed, count)
        self.known |= {id(scenario.public): scenario for scenario in found}
        return found

    def prompt(self, card):
        return " ".join(condition.text for condition in self.known[id(card.public)].a)


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
