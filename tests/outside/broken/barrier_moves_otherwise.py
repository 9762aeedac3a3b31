"""A barrier that says of itself what it does not do."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.measures_move_one_way"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def moves(self):
        return {"lost": -1}


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
