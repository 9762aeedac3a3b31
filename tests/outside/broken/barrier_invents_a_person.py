"""A barrier that brings in somebody by name."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.nothing_is_invented"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    @staticmethod
    def _lost(piece):
        return f"{piece} So says Gwendolyn, at least."


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
