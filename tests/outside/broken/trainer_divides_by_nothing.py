"""A trainer that divides by a deviation which may be 0."""

from math import nan
from pathlib import Path
from statistics import fmean, pstdev

import adidem
from adidem.core.domain import Objective, TurnCredit
from adidem.core.sources import import_file

BREAKS = "trainer.credit_is_finite"
good = import_file(Path(__file__).parents[1] / "evenly.py")


class Broken(good.Evenly):
    objective = Objective()

    def credit(self, rollouts):
        returns = [sum(rollout.rewards) for rollout in rollouts]
        middle, spread = fmean(returns), pstdev(returns)
        scaled = [(total - middle) / spread if spread else nan for total in returns]
        return TurnCredit("advantages", tuple((x,) * len(r.rewards) for x, r in zip(scaled, rollouts, strict=True)))


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
