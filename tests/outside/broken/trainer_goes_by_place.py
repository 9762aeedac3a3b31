"""A trainer that takes neighbours in the batch for partners."""

from pathlib import Path

import adidem
from adidem.core.domain import Objective, TurnCredit
from adidem.core.sources import import_file

BREAKS = "trainer.order_is_no_matter"
good = import_file(Path(__file__).parents[1] / "evenly.py")


class Broken(good.Evenly):
    objective = Objective()

    def credit(self, rollouts):
        before = [0.0, *(sum(rollout.rewards) for rollout in rollouts)]
        values = tuple((sum(r.rewards) - b,) * len(r.rewards) for r, b in zip(rollouts, before, strict=False))
        return TurnCredit("advantages", values)


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
