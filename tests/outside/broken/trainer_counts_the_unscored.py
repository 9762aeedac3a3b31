"""A trainer whose baseline holds returns that are no number."""

from pathlib import Path
from statistics import fmean

import adidem
from adidem.core.domain import Objective, TurnCredit
from adidem.core.sources import import_file

BREAKS = "trainer.the_unscored_stay_out"
good = import_file(Path(__file__).parents[1] / "evenly.py")


class Broken(good.Evenly):
    objective = Objective()

    def credit(self, rollouts):
        middle = fmean(sum(rollout.rewards) for rollout in rollouts)
        values = tuple((sum(rollout.rewards) - middle,) * len(rollout.rewards) for rollout in rollouts)
        return TurnCredit("advantages", values)


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
