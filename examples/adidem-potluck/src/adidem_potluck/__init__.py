"""Potluck: who brings which dish, when neither can cook everything and neither can eat everything.

A family that adidem does not ship: what is public (which ingredient is in which dish) has to be put together with what
is private (who can make what, who cannot eat what) before a plan is found.
"""

import adidem
from adidem_potluck.family import Potluck
from adidem_potluck.rules import PotluckRules


@adidem.hookimpl
def adidem_register_families(register: adidem.Register[adidem.Family]) -> None:
    """The family."""
    register(Potluck)


@adidem.hookimpl
def adidem_register_checkers(register: adidem.Register[adidem.Checker]) -> None:
    """Its rules."""
    register(PotluckRules)
