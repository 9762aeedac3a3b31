"""A family in which agreeing is right in every world."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.outcomes_vary"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def scenarios(self, split, seed, count):
        numbers = (n for n in range(1000) if n % 3)
        return [self._numbered(split, seed, next(numbers), place) for place in range(count or 4)]

    def _numbered(self, split, seed, number, place):
        return evolve(self._draw(split, seed, number), id=f"{self.name}/{split}/{place:02d}")


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
