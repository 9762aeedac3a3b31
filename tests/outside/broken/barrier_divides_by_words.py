"""A barrier whose measure fails where there is no word."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.measures_are_numbers"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def measure(self, utterance):
        return {"lost": utterance.count("…") / len(utterance.split())}


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
