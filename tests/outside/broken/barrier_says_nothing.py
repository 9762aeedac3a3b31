"""A barrier under which whole turns are lost."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.distort_never_raises"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def distort(self, utterance, severity, rng):
        return "" if rng.random() < severity else utterance


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
