"""A family that says a deferral in one way and hears it in another."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.deferrals_are_heard"
good = import_file(Path(__file__).parents[1] / "moving_day.py")


class Broken(good.MovingDay):
    def say(self, terms, public):
        said = super().say(terms, public)
        return said.replace("let's ask", "that is for") if isinstance(terms, good.Asked) else said


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.MovingRules)
