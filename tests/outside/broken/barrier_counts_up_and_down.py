"""A barrier whose quotas rise and fall with severity."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.quotas_follow_severity"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def directive(self, severity):
        told = super().directive(severity)
        return told if told.empty or severity < 0.9 else evolve(told, quotas={"lost": (0.0, 0.1)})


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
