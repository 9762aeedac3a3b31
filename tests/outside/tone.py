"""A judge in one file, outside the package: how warm the two were, by a model."""

from attrs import define

import adidem
from adidem.core import judging
from adidem.core.domain import Dimension, Judgement


@define
class Tone:
    """`warmth` for each of the two, from 0 to 10."""

    name = "tone"
    dimensions = (Dimension("warmth", 0, 10, "seat"),)
    model: str | None = None

    async def judge(self, case, ask):
        """Asks once; what cannot be used is unscored."""
        silent = judging.nothing_said(case)
        if silent:
            return Judgement(self.name, tuple(judging.unscored(self.dimensions, silent)))
        names = case.world.public.names
        said = await judging.asked(ask, self._messages(case), judging.schema_of(self.dimensions, names))
        if said.failed is not None:
            return Judgement(self.name, tuple(judging.unscored(self.dimensions, said.failed)))
        return Judgement(self.name, tuple(judging.ratings(self.dimensions, names, said.data, said.problem)))

    @staticmethod
    def _messages(case):
        lines = [line for turn in case.conversation for line in judging.quoted(turn.text)]
        fence = judging.fence_for("\n".join(lines), case.scenario.id)
        return [
            {"role": "system", "content": "You rate how warm each of two people was, from 0 to 10."},
            {"role": "user", "content": fence.block("conversation", lines)},
        ]


@adidem.hookimpl
def adidem_register_judges(register):
    """The judge."""
    register(Tone)
