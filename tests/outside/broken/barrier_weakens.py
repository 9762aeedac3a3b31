"""A barrier that is strongest in the middle of its range."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.severity_is_monotone"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    @staticmethod
    def _is_lost(rng, severity):
        return rng.random() < 2 * min(severity, 1.1 - severity) * (severity > 0)


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
