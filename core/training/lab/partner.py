"""The lab's partners: scripted, with short phrases of their own; most of them too polite to say that a plan fails.

Candid and guarded partners check what is offered, and so carry even a careless speaker to what is right. A polite one
answers what it is asked and takes whatever is offered: with it only those succeed who ask, tell, and reckon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from random import Random

import yaml

from adidem.core.agents.scripted import MANNERS, Manner, ScriptedAgent
from adidem.core.agents.scripted.agent import ScriptedParticipant, Situation, unclear
from adidem.core.contracts import Checker, Family, Participant
from adidem.core.domain import RoleCard
from adidem.core.knowledge import Knowledge

PARTNER, HELD_OUT = "lab:partner", "lab:held_out"
PHRASES = {PARTNER: "phrases_train.yaml", HELD_OUT: "phrases_held_out.yaml"}

MIX: Mapping[str, float] = {"polite": 0.6, "candid": 0.2, "guarded": 0.2}
"""How often a partner has which manner."""

VOLUNTEERS = 0.15
"""How often a polite partner tells its conditions unasked, at a turn where it has nothing else to say."""

POLITE = Manner("polite", volunteers=False, answers=True, asks=False, checks=False)


@cache
def partner_phrases(name: str) -> Mapping[str, Sequence[str]]:
    """What a partner of that name says around a family's sentences."""
    text = resources.files(__package__).joinpath(PHRASES[name]).read_text(encoding="utf-8")
    phrases: Mapping[str, Sequence[str]] = yaml.safe_load(text)
    return phrases


class PolitePartner(ScriptedAgent):
    """Accepts any offer, answers questions, and proposes or gives up once it knows what the other needs."""

    def seated(self, knowledge: Knowledge, rng: Random) -> Participant:
        """The same in its seat."""
        return PoliteParticipant(self.manner, knowledge, rng, self.phrases)


class PoliteParticipant(ScriptedParticipant):
    """A polite partner in its seat."""

    def _be_pleasant(self, at: Situation) -> str:
        if at.untold and (at.asked or self.rng.random() < VOLUNTEERS):
            return " ".join(at.untold)
        if unclear(at.partner):
            return self._phrase("pleasant" if at.spoken == 0 else "easy", partner=self.card.partner)
        plans = self.knowledge.plans(at.partner)
        return self._propose(plans) if plans else self._give_up()


class LabPartner:
    """`lab:partner` in training and evaluation, `lab:held_out` with phrases that were never trained on. Its manner is
    drawn anew for each conversation."""

    scripted = True

    def __init__(self, name: str = PARTNER, mix: Mapping[str, float] = MIX) -> None:
        self.name = name
        self._agents = [_partner(manner, partner_phrases(name)) for manner in mix]
        self._weights = list(mix.values())

    def join(self, family: Family, checkers: Sequence[Checker], card: RoleCard, rng: Random) -> Participant:
        """Take a seat, in one of the manners."""
        (agent,) = rng.choices(self._agents, self._weights)
        return agent.join(family, checkers, card, rng)

    async def close(self) -> None:
        """Nothing is held open."""


def _partner(manner: str, phrases: Mapping[str, Sequence[str]]) -> ScriptedAgent:
    if manner == POLITE.name:
        return PolitePartner(POLITE, phrases)
    return ScriptedAgent(MANNERS[manner], phrases)
