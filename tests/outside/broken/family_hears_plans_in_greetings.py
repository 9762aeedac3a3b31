"""A family that hears a plan where somebody says hello."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.domain import Plan
from adidem.core.sources import import_file

BREAKS = "family.small_talk_is_no_plan"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def hear(self, text, public, speaker):
        heard = super().hear(text, public, speaker)
        if heard.plans or heard.facts or "good" not in text:
            return heard
        return evolve(heard, plans=(Plan(good.Meeting(good.PLACES[0])),))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
