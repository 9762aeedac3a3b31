"""A family that draws the same for each split, so that what is trained on is tested on."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.splits_are_apart"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def _draw(self, split, seed, n):
        return evolve(super()._draw("train", seed, n), id=f"{self.name}/{split}/{n:02d}", split=split)


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
