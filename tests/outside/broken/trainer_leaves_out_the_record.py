"""A trainer that forgets the last policy turn."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "trainer.one_number_a_turn"
good = import_file(Path(__file__).parents[1] / "evenly.py")


class Broken(good.Evenly):
    def _spread(self, rewards):
        return super()._spread(rewards)[:-1]


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
