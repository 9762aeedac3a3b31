"""A trainer that pays for every turn and does not say so."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "trainer.the_return_is_kept"
good = import_file(Path(__file__).parents[1] / "evenly.py")


class Broken(good.Evenly):
    def _spread(self, rewards):
        return tuple(reward + 0.1 for reward in super()._spread(rewards))


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
