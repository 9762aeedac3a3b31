"""A family that compares what was said with the wrong thing."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.truth_is_no_contradiction"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def contradicts(self, fact, card):
        return None if fact.value == good.PLACES else "that is not every place"


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
