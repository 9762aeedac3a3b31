"""A checker whose violations say nothing."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.check_never_raises"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def check(self, world, terms):
        if terms.quantity > 40:
            yield Violation("forty", "")


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
