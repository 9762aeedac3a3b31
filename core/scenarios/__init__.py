"""Scenarios: hand-written settings, certified pairs made from them, and banks of scenarios kept as data."""

from adidem.core.scenarios.bank import dump_bank, load_bank, scenario_from_json, scenario_to_json
from adidem.core.scenarios.paired import PairedFamily, Sketch
from adidem.core.scenarios.settings import Setting, load_settings

__all__ = [
    "PairedFamily",
    "Setting",
    "Sketch",
    "dump_bank",
    "load_bank",
    "load_settings",
    "scenario_from_json",
    "scenario_to_json",
]
