"""A barrier that tells its speaker something else each time that it is asked."""

from itertools import cycle
from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.same_words_again"
good = import_file(Path(__file__).parents[1] / "mumble.py")
HABITS = cycle(("Hum.", "Sigh.", "Cough."))


class Broken(good.Mumble):
    def directive(self, severity):
        told = super().directive(severity)
        return told if told.empty else evolve(told, tactics=(next(HABITS),))


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
