"""A barrier that gives a model speaker no exemplar."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "barrier.directive_is_complete"
good = import_file(Path(__file__).parents[1] / "mumble.py")


class Broken(good.Mumble):
    def directive(self, severity):
        return evolve(super().directive(severity), exemplars=())


@adidem.hookimpl
def adidem_register_barriers(register):
    register(Broken)
