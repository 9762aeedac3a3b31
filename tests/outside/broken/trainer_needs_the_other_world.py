"""A trainer that takes for granted that both worlds of a scenario were played to the end."""

from math import isfinite

import adidem
from adidem.core.domain import Objective, Sampling, TurnCredit

BREAKS = "trainer.credit_is_finite"


class Broken:
    name = "broken"
    sampling = Sampling("pairs", samples=2)
    objective = Objective()

    def credit(self, rollouts):
        returns = {}
        for rollout in rollouts:
            if isfinite(sum(rollout.rewards)):
                returns.setdefault((rollout.scenario, rollout.world), []).append(sum(rollout.rewards))
        return TurnCredit("advantages", tuple(self._above(rollout, returns) for rollout in rollouts))

    def _above(self, rollout, returns):
        there = returns[rollout.scenario, {"a": "b", "b": "a"}[rollout.world]]
        return (sum(rollout.rewards) - sum(there) / len(there),) * len(rollout.rewards)


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
