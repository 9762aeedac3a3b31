"""A checker that looks for a condition which no world has."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.it_refuses_something"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def check(self, world, terms):
        limit = world.of("first", "limit")
        if limit is not None and terms.quantity > limit:
            yield Violation("limit", "above the limit", "first")


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
