"""A family that hears the first place of a list alone."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.conditions_are_heard"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def hear(self, text, public, speaker):
        heard = super().hear(text, public, speaker)
        return evolve(heard, facts=tuple(evolve(fact, value=fact.value[:1]) for fact in heard.facts))


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
