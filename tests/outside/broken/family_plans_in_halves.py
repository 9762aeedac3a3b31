"""A family with plans that its own schema refuses: an amount must be whole."""

from pathlib import Path

from attrs import frozen

import adidem
from adidem.core.domain import Amount, Text
from adidem.core.sources import import_file

BREAKS = "family.schema_accepts_plans"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


@frozen
class Meeting:
    place: Text
    hours: Amount


class Broken(good.MeetingPlace):
    terms = Meeting

    def plans(self, world):
        return [Meeting(place, 1.5) for place in good.PLACES]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
