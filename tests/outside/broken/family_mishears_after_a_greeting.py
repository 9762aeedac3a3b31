"""A family that hears a condition rightly alone, and half of it where something was said before it."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "family.scripted_agents_can_play"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def hear(self, text, public, speaker):
        heard = super().hear(text, public, speaker)
        return evolve(heard, facts=tuple(self._half(fact) for fact in heard.facts))

    @staticmethod
    def _half(fact):
        return evolve(fact, value=fact.value[-1:]) if fact.start else fact


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
