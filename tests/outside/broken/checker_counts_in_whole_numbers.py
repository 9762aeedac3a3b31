"""A checker that takes for granted that a recorded amount is whole."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.check_never_raises"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def check(self, world, terms):
        if len(range(terms.quantity)) > 40:
            yield Violation("forty", "more than forty")


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
