"""A trainer that gives rewards and asks for a loss without a critic."""

from pathlib import Path

import adidem
from adidem.core.domain import Objective
from adidem.core.sources import import_file

BREAKS = "trainer.the_kind_fits_the_objective"
good = import_file(Path(__file__).parents[1] / "evenly.py")


class Broken(good.Evenly):
    objective = Objective()


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Broken)
