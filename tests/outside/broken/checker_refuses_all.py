"""A checker that leaves no plan of any pair."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.pairs_survive"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def check(self, world, terms):
        if terms.quantity > 0:
            yield Violation("something", "something is too much")


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
