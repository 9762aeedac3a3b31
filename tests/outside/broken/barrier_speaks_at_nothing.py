"""A barrier that changes words at severity 0."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.silent_at_zero"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    @staticmethod
    def _is_lost(rng, severity):
        return rng.random() < 0.2 + 0.7 * severity


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
