"""A judge that puts a middle score in the place of a missing answer."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "judge.rubbish_is_unscored"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    async def judge(self, case, ask):
        said = await super().judge(case, ask)
        ratings = tuple(evolve(r, score=5.0, unscored=None) if r.unscored else r for r in said.ratings)
        return evolve(said, ratings=ratings)


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
