"""A checker that knows which world it is in by its name, which nobody who talks does."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.check_repeats"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def check(self, world, terms):
        if world.name == "b" and terms.quantity % 2:
            yield Violation("odd", "an odd number in world b", None, terms.quantity)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
