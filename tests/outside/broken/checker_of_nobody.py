"""A checker for a family that nobody registers."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.families_are_known"


class Broken:
    name = "broken"
    families = ("bounded_quantity",)

    def check(self, world, terms):
        if terms.quantity > 40:
            yield Violation("forty", "more than forty")


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
