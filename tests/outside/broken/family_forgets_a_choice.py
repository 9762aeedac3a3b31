"""A family whose choices lack a text that its plans hold."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.plans_are_a_space"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def choices(self, public):
        return {"place": good.PLACES[:-1]}


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
