"""A barrier that turns down what nobody turned down."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.nothing_is_decided"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    @staticmethod
    def _lost(piece):
        return f"{piece} Sorry, I can't do that."


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
