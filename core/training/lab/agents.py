"""The lab's agents by their names, for recipes: `lab:partner`, `lab:held_out`, `lab:demonstrator`, `lab:expert`."""

from __future__ import annotations

from adidem.core.contracts import Agent
from adidem.core.errors import UnknownName
from adidem.core.training.lab.demonstrator import DEMONSTRATOR, EXPERT, PERFECT, Demonstrator
from adidem.core.training.lab.partner import HELD_OUT, PARTNER, LabPartner


def lab_agent(spec: str) -> Agent:
    """The agent of that name. Raises UnknownName."""
    if spec in (PARTNER, HELD_OUT):
        return LabPartner(spec)
    if spec == DEMONSTRATOR:
        return Demonstrator(spec)
    if spec == EXPERT:
        return Demonstrator(spec, PERFECT)
    raise UnknownName("lab agent", spec, (PARTNER, HELD_OUT, DEMONSTRATOR, EXPERT))
