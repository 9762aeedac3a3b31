"""A barrier that looks for words nobody says."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.it_does_something"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def distort(self, utterance, severity, rng):
        return utterance.replace("abracadabra", "…")


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
