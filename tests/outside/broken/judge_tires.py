"""A judge that rates the second case otherwise than the first."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "judge.same_judgement_again"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    times = 0

    async def judge(self, case, ask):
        type(self).times += 1
        said = await super().judge(case, ask)
        return evolve(said, ratings=tuple(evolve(r, reason=f"case {type(self).times}") for r in said.ratings))


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
