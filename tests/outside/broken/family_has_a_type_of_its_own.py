"""A family whose terms hold a yes or no, which no record is read into."""

from pathlib import Path

from attrs import frozen

import adidem
from adidem.core.domain import Text
from adidem.core.sources import import_file

BREAKS = "family.plans_are_a_space"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


@frozen
class Meeting:
    place: Text
    indoors: bool


class Broken(good.MeetingPlace):
    terms = Meeting

    def plans(self, world):
        return [Meeting(place, indoors) for place in good.PLACES for indoors in (True, False)]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
