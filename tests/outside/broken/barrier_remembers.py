"""A barrier whose words depend on how often it was asked."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.same_words_again"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    times = 0

    def distort(self, utterance, severity, rng):
        type(self).times += 1
        return super().distort(utterance, severity if type(self).times % 3 else 0.0, rng)


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
