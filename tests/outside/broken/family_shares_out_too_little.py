"""A family whose rules look at what is carried, and let a person carry nothing."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "family.only_plans_pass"
good = import_file(Path(__file__).parents[1] / "moving_day.py")


class Broken(good.MovingDay):
    pass


class Rules(good.MovingRules):
    def check(self, world, terms):
        return [violation for violation in super().check(world, terms) if violation.rule != "boxes"]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Rules)
