"""A checker that lays a violation at the wrong person's door."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.a_seat_is_whose_it_is"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def check(self, world, terms):
        interval = world.of("first", "interval") or {}
        if interval.get("most") is not None and terms.quantity > interval["most"]:
            yield Violation("most", "more than they can take", "second")


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
