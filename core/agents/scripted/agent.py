"""The scripted agent that settles plans and records them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from random import Random
from typing import Any

import yaml
from attrs import define

from adidem.core.agents.scripted.manner import Manner
from adidem.core.agents.scripted.talk import ScriptedTalker
from adidem.core.containment import text_of
from adidem.core.contracts import Checker, Family, Participant
from adidem.core.domain import Conversation, Record, RoleCard, Turn, Usage
from adidem.core.knowledge import Knowledge
from adidem.core.language import Act
from adidem.core.listening import HeardTurn, Settled, settled
from adidem.core.records import write_record
from adidem.core.rules import Rules

PATIENCE = 3
"""After so many turns of its own an agent takes any plan that fits."""


@lru_cache(maxsize=1)
def _phrases() -> Mapping[str, Sequence[str]]:
    text = resources.files(__package__).joinpath("phrases.yaml").read_text(encoding="utf-8")
    phrases: Mapping[str, Sequence[str]] = yaml.safe_load(text)
    return phrases


class ScriptedAgent:
    """`scripted:NAME`. It knows its card and what it is told, and nothing else. `phrases` are other words for what it
    says around the family's own sentences, under the names of phrases.yaml."""

    scripted = True

    def __init__(self, manner: Manner, phrases: Mapping[str, Sequence[str]] | None = None) -> None:
        self.manner = manner
        self.phrases = phrases
        self.name = f"scripted:{manner.name}"
        self._rules: dict[tuple[int, tuple[int, ...]], Rules] = {}

    def join(self, family: Family, checkers: Sequence[Checker], card: RoleCard, rng: Random) -> Participant:
        """Take a seat."""
        own: Participant | None = family.scripted(card, self.manner.name, rng) if hasattr(family, "scripted") else None
        if own is not None:
            return own
        if family.terms is None:
            return ScriptedTalker(self.manner, family, card, rng)
        key = (id(family), tuple(id(checker) for checker in checkers))
        if key not in self._rules:
            self._rules[key] = Rules(family, checkers)
        return self.seated(Knowledge(self._rules[key], card), rng)

    def seated(self, knowledge: Knowledge, rng: Random) -> Participant:
        """The agent in its seat; another kind of agent may sit down in its own way."""
        return ScriptedParticipant(self.manner, knowledge, rng, self.phrases)

    async def close(self) -> None:
        """Nothing is held open."""


@define
class Situation:
    """A conversation as it stands for the agent whose turn it is."""

    turns: tuple[HeardTurn, ...]
    partner: dict[str, Any]
    now: Settled
    untold: tuple[str, ...]
    asked: bool
    alone: bool
    questions: int
    spoken: int


class ScriptedParticipant:
    """A scripted agent in its seat."""

    def __init__(
        self, manner: Manner, knowledge: Knowledge, rng: Random, phrases: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.manner, self.knowledge, self.rng = manner, knowledge, rng
        self.phrases = _phrases() if phrases is None else phrases
        self.card = knowledge.card
        self.family = knowledge.rules.family
        self.public = self.card.public

    async def speak(self, history: Conversation, left: int) -> Turn:
        """Say the next thing."""
        text, leaves = self._reply(self._situation(history))
        return Turn(len(history), self.card.seat, text, "leave" if leaves else "speak")

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """What was settled aloud; where nothing was, a decline; where the other said nothing at all, the middle one of
        the plans that fit the own card."""
        situation = self._situation(history)
        return write_record(self._recorded(situation))

    def usage(self) -> Usage:
        """No model is behind it."""
        return Usage()

    # ------------------------------------------------------------------------------------------------- what stands

    def _situation(self, history: Conversation) -> Situation:
        turns = self.knowledge.hear(history)
        mine = [h for h in turns if h.turn.seat == self.card.seat]
        theirs = [h for h in turns if h.turn.seat != self.card.seat]
        since = _asked_again(mine, theirs)
        said = "\n".join(h.turn.meant or h.turn.text for h in mine if h.turn.index > since)
        sentences = [
            text_of(f"family {self.family.name!r}: tell", self.family.tell(c, self.public))
            for c in self.card.conditions
        ]
        return Situation(
            turns=turns,
            partner=self.knowledge.of_partner(turns),
            now=settled(turns),
            untold=tuple(s for s in sentences if s not in said),
            asked=any(Act.ASK in h.acts for h in theirs),
            alone=not any(h.turn.text.strip() for h in theirs),
            questions=sum(self._question() in (h.turn.meant or h.turn.text) for h in mine),
            spoken=len(mine),
        )

    def _recorded(self, at: Situation) -> Record:
        now = at.now
        if now.outcome == "agree":
            return Record("agree", now.terms)
        if now.outcome == "defer" and self.family.defer_terms is not None:
            return Record("defer", self.family.defer_terms(now.terms))
        if now.outcome == "decline":
            return Record("decline")
        if now.offer is not None and not self.manner.checks:
            return Record("agree", now.offer)
        plans = self.knowledge.plans({})
        if not at.alone or not plans:
            return Record("decline")
        return Record("agree", plans[len(plans) // 2])

    # ------------------------------------------------------------------------------------------------ what is said

    def _reply(self, at: Situation) -> tuple[str, bool]:
        theirs = at.now.by is not None and at.now.by != self.card.seat
        if at.now.outcome == "agree":
            return self._phrase("close"), True
        if at.now.outcome is not None and theirs:
            return self._to_an_end(at)
        if at.now.offer is not None and theirs:
            return self._to_an_offer(at)
        return (self._go_on(at), False) if self.manner.checks else (self._be_pleasant(at), False)

    def _to_an_end(self, at: Situation) -> tuple[str, bool]:
        """The other declined or deferred: confirm it, unless a plan fits as far as this agent knows."""
        plans = self.knowledge.best(at.partner)
        if plans and self.manner.checks:
            return self._join(self._tellings(at), self._propose(plans)), False
        if at.now.outcome == "decline" and self.public.approver is not None and self.manner.checks:
            return self._defer(), False
        return self._phrase("confirm"), True

    def _to_an_offer(self, at: Situation) -> tuple[str, bool]:
        plan = at.now.offer
        if not self.manner.checks or (self.knowledge.fits(plan, at.partner) and self._good_enough(plan, at)):
            return self._phrase("accept", plan=self._said(plan)), True
        return self._join(self._phrase("reject"), self._go_on(at, answering=True)), False

    def _go_on(self, at: Situation, *, answering: bool = False) -> str:
        """Tell, ask, propose or give up, as far as the manner goes."""
        told = self._tellings(at, answering=answering)
        greeting = self._phrase("greet", partner=self.card.partner) if at.spoken == 0 and not at.turns else ""
        if unclear(at.partner) and at.questions < 2:
            return self._join(greeting, told, self._ask(at))
        plans = self.knowledge.best(at.partner)
        if plans:
            return self._join(greeting, told, self._propose(plans))
        return self._join(greeting, told, self._give_up())

    def _be_pleasant(self, at: Situation) -> str:
        if at.spoken == 0:
            return self._phrase("pleasant", partner=self.card.partner)
        plans = self.knowledge.best({})
        return self._propose(plans) if plans and at.spoken > 1 else self._phrase("easy")

    def _good_enough(self, plan: Any, at: Situation) -> bool:
        """Where plans have a worth: no worse for this agent than the best for both, until it has spoken enough."""
        if at.spoken >= PATIENCE or self.knowledge.worth(plan) is None:
            return True
        due = [self.knowledge.worth(each) for each in self.knowledge.best(at.partner)]
        return (self.knowledge.worth(plan) or 0.0) >= min(worth for worth in due if worth is not None)

    def _tellings(self, at: Situation, *, answering: bool = False) -> str:
        tells = self.manner.volunteers or (self.manner.answers and (at.asked or answering))
        return " ".join(at.untold) if tells else ""

    def _ask(self, at: Situation) -> str:
        return self._join(self._phrase("again") if at.questions else "", self._question())

    def _question(self) -> str:
        """How this person asks for what the other needs: the family's question, or one that fits any family."""
        ask = getattr(self.family, "ask", None)
        question: str = ask(self.public, self.card.seat) if ask is not None else self.phrases["ask"][0]
        return question

    def _propose(self, plans: Sequence[Any]) -> str:
        return self._phrase("propose", plan=self._said(self.rng.choice(plans)))

    def _said(self, terms: Any) -> str:
        return text_of(f"family {self.family.name!r}: say", self.family.say(terms, self.public))

    def _give_up(self) -> str:
        return self._phrase("decline") if self.public.approver is None else self._defer()

    def _defer(self) -> str:
        if self.family.defer_terms is None:
            return self._phrase("decline")
        return self._phrase("defer", plan=self._said(self.family.defer_terms(self.public.approver)))

    def _phrase(self, kind: str, **words: str) -> str:
        return self.rng.choice(self.phrases[kind]).format(**words)

    @staticmethod
    def _join(*parts: str) -> str:
        return " ".join(part for part in parts if part)


def unclear(partner: Mapping[str, Any]) -> bool:
    """Whether nothing is known of the other, or something only in part."""
    parts = (
        part for value in partner.values() for part in (value.values() if isinstance(value, Mapping) else (value,))
    )
    return not partner or any(part is None for part in parts)


def _asked_again(mine: Sequence[HeardTurn], theirs: Sequence[HeardTurn]) -> int:
    """The turn at which the other last asked after this agent had spoken, -1 where it never did: what was told before
    that has to be told again."""
    spoke = mine[0].turn.index if mine else 0
    asked = [h.turn.index for h in theirs if Act.ASK in h.acts and h.turn.index > spoke]
    return asked[-1] if mine and asked else -1
