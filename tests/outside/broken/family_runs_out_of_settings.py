"""A family that has so many settings and no more scenarios than those."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.scenarios_made"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")
SETTINGS = [f"day-{number}" for number in range(12)]


class Broken(good.MeetingPlace):
    def _draw(self, split, seed, n):
        return self._on(SETTINGS[n], super()._draw(split, seed, n))

    def _on(self, day, scenario):
        return scenario if day else None


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
