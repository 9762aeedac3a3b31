"""A barrier that draws from Python's global generator."""

import random
from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.same_words_again"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    @staticmethod
    def _is_lost(rng, severity):
        return random.random() < severity > 0 * rng.random()  # noqa: TID251 (the fault)


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
