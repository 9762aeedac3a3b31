"""A judge that rates 0 where the model gave a word in the place of a number."""

from pathlib import Path

import adidem
from adidem.core import judging
from adidem.core.domain import SEATS, Judgement, Rating
from adidem.core.sources import import_file

BREAKS = "judge.rubbish_is_unscored"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    async def judge(self, case, ask):
        names = case.world.public.names
        said = await judging.asked(ask, self._messages(case), judging.schema_of(self.dimensions, names))
        found = said.data if isinstance(said.data, dict) else {}
        return Judgement(self.name, tuple(map(self._rating, SEATS, (found.get(name) for name in names))))

    @staticmethod
    def _rating(seat, given):
        rated = given.get("warmth") if isinstance(given, dict) else None
        if not isinstance(rated, dict):
            return Rating("warmth", seat, None, unscored="no rating")
        score = rated.get("score")
        number = float(score) if isinstance(score, int | float) and 0 <= score <= 10 else 0.0
        return Rating("warmth", seat, number)


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
