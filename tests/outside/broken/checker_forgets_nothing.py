"""A checker that answers otherwise the second time."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.check_repeats"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def __init__(self):
        self.seen = set()

    def check(self, world, terms):
        if terms.quantity > 40 or terms.quantity in self.seen:
            yield Violation("forty", "more than forty, or seen before")
        self.seen.add(terms.quantity)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
