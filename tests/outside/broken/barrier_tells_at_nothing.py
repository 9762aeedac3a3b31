"""A barrier that gives a model speaker a directive at severity 0."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.silent_at_zero"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def directive(self, severity):
        return super().directive(max(severity, 0.1))


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
