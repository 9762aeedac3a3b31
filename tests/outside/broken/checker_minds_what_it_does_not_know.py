"""A checker that takes a condition nobody told it for one that forbids."""

import adidem
from adidem.core.domain import Violation

BREAKS = "checker.the_unknown_is_no_constraint"


class Broken:
    name = "broken"
    families = ("bounded_quantities",)

    def check(self, world, terms):
        for seat in ("first", "second"):
            interval = world.of(seat, "interval")
            if interval is None or (interval["most"] is not None and terms.quantity > interval["most"]):
                yield Violation("most", "more than is known to be fine")


@adidem.hookimpl
def adidem_register_checkers(register):
    register(Broken)
