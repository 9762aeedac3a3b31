"""A family whose plans hold a list in another order than its choices."""

from itertools import permutations
from pathlib import Path

from attrs import frozen

import adidem
from adidem.core.domain import Items
from adidem.core.sources import import_file

BREAKS = "family.records_round_trip"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


@frozen
class Tour:
    places: Items


class Broken(good.MeetingPlace):
    terms = Tour

    def plans(self, world):
        return [Tour((one, two)) for one, two in permutations(good.PLACES, 2)]

    def choices(self, public):
        return {"places": good.PLACES}


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
