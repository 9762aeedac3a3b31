"""A family without choices: `THE PARK` and `the park` are two places to it."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.one_canonical_form"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def choices(self, public):
        return {}


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
