"""A family whose evidence lies outside the text."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.hearing_never_raises"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def hear(self, text, public, speaker):
        heard = super().hear(text, public, speaker)
        return evolve(heard, plans=tuple(evolve(plan, end=plan.end + 10_000) for plan in heard.plans))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
