"""A family with a tool that raises where it finds nothing."""

from pathlib import Path

import adidem
from adidem.core.contracts import Tool
from adidem.core.sources import import_file

BREAKS = "family.what_it_has_besides_serves"
good = import_file(Path(__file__).parents[1] / "meeting_place.py")
BUSES = {place: 10 * number for number, place in enumerate(good.PLACES)}
ASKED = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}


class Broken(good.MeetingPlace):
    def tools(self, card):
        return [Tool("bus", "How many minutes the bus takes.", ASKED, lambda asked: {"minutes": BUSES[asked["place"]]})]


@adidem.hookimpl
def adidem_register_families(register):
    register(Broken)


@adidem.hookimpl
def adidem_register_checkers(register):
    register(good.ReachRules)
