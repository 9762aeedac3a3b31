"""A family that notes in the public facts how often it listened."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.hearing_never_raises"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")


class Broken(good.MeetingPlace):
    def hear(self, text, public, speaker):
        public.facts["heard"] = public.facts.get("heard", 0) + 1
        return super().hear(text, public, speaker)


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
