"""A judge that hands its model a message without a role."""

from pathlib import Path

import adidem
from adidem.core.sources import import_file

BREAKS = "judge.asks_in_messages"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    @staticmethod
    def _messages(case):
        return [{"content": turn.text or "nothing"} for turn in case.conversation]


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
