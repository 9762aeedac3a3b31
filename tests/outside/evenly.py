"""A trainer in one file, outside the package: the return spread evenly over the policy turns."""

from attrs import frozen

import adidem
from adidem.core.domain import Objective, Sampling, TurnCredit


@frozen
class Evenly:
    """Each turn gets the same part of the episode's reward."""

    name = "evenly"
    sampling = Sampling("groups", samples=4)
    objective = Objective(critic=True)

    def credit(self, rollouts):
        """The mean reward on each turn."""
        return TurnCredit("rewards", tuple(self._spread(rollout.rewards) for rollout in rollouts))

    def _spread(self, rewards):
        return (sum(rewards) / len(rewards),) * len(rewards) if rewards else ()


@adidem.hookimpl
def adidem_register_trainers(register):
    """The trainer."""
    register(Evenly)
