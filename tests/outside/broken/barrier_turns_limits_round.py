"""A barrier that says a least for a most."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.nothing_is_turned_round"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def distort(self, utterance, severity, rng):
        said = super().distort(utterance, severity, rng)
        return said.replace("at least", "at most") if severity > 0.5 else said


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
