"""A judge whose scores leave the range that it declares."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "judge.scores_stay_in_range"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    async def judge(self, case, ask):
        said = await super().judge(case, ask)
        turns = len(case.conversation)
        return evolve(said, ratings=tuple(evolve(r, score=11.0 + turns, unscored=None) for r in said.ratings))


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
