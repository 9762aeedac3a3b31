"""A family that says two of its plans in the same words."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.plans_are_heard"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def say(self, terms, public):
        return super().say(terms, public).replace("the harbour", "the station")


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
