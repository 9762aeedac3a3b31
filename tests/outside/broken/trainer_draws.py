"""A trainer whose credit is a matter of luck."""

from pathlib import Path
from random import Random

import adidem
from adidem.core.sources import import_file

BREAKS = "trainer.same_credit_again"
good = import_file(Path(__file__).parents[1] / "evenly.py")


class Broken(good.Evenly):
    luck = Random(0)

    def _spread(self, rewards):
        cut = self.luck.randrange(len(rewards))
        return tuple(sum(rewards) if place == cut else 0.0 for place in range(len(rewards)))


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
