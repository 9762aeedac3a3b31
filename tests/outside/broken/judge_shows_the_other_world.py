"""A judge that shows its model both worlds."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "judge.asks_in_messages"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    def _messages(self, case):
        system, asked = super()._messages(case)
        held = [condition.text for world in case.scenario.worlds for condition in world.conditions]
        return [system, {**asked, "content": "\n".join([asked["content"], *held])}]


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
