"""A family whose plan space does not end."""

from itertools import count
from pathlib import Path

from attrs import frozen

import adidem
from adidem.core.domain import Amount, Text
from adidem.core.sources import import_file

BREAKS = "family.plans_are_a_space"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


@frozen
class Meeting:
    place: Text
    minutes: Amount


class Broken(good.MeetingPlace):
    terms = Meeting

    def plans(self, world):
        return (Meeting(good.PLACES[0], minutes) for minutes in count())


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
