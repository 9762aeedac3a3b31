"""A judge that takes a model's JSON for what was asked for."""

from pathlib import Path

import adidem
from adidem.core.domain import SEATS, Judgement, Rating
from adidem.core.sources import import_file

BREAKS = "judge.it_never_raises"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    async def judge(self, case, ask):
        if not case.conversation:
            return await super().judge(case, ask)
        answer = await ask(self._messages(case))
        names = dict(zip(SEATS, case.world.public.names, strict=True))
        ratings = (Rating("warmth", seat, answer.data[name]["warmth"]["score"]) for seat, name in names.items())
        return Judgement(self.name, tuple(ratings))


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
