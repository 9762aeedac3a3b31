"""A barrier with a quota of something that it does not measure."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.quotas_are_measured"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def measure(self, utterance):
        return {"dots": float(utterance.count("…"))}


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
