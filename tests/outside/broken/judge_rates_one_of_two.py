"""A judge that rates the tested seat alone."""

from pathlib import Path

from attrs import evolve

import adidem
from adidem.core.sources import import_file

BREAKS = "judge.everything_declared_is_rated"
good = import_file(Path(__file__).parents[1] / "tone.py")


class Broken(good.Tone):
    async def judge(self, case, ask):
        said = await super().judge(case, ask)
        return evolve(said, ratings=tuple(r for r in said.ratings if r.seat == case.seat))


@adidem.hookimpl
def adidem_register_judges(register):
    register(Broken)
