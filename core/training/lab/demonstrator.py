"""The lab's demonstrators: scripted speakers in the tested seat, of mixed quality, whom the starting policy imitates.

They use what they know. Their main flaw is to propose before they have asked or told; now and then they give up early,
say an empty thing, offer the same again, take what does not fit, or slip in the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from attrs import field, frozen
from attrs.validators import ge, le

from adidem.core.contracts import Checker, Family, Participant
from adidem.core.domain import Conversation, Record, RoleCard, Turn, Usage
from adidem.core.knowledge import Knowledge
from adidem.core.language import Act as Heard
from adidem.core.listening import HeardTurn, Settled, settled
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.mouth import Act, say
from adidem.core.policy.tongue.place import Place
from adidem.core.records import freeze, write_record
from adidem.core.rules import Rules

DEMONSTRATOR, EXPERT = "lab:demonstrator", "lab:expert"


def _share(default: float) -> Any:
    return field(default=default, validator=[ge(0.0), le(1.0)])


@frozen
class Habits:
    """How a demonstrator behaves; every number is a probability.

    `care`: at a turn with nothing to answer, it asks for what it does not know and tells what it has not told, and only
    then proposes; else it does what is careless, and `rash` of that is proposing at once. `blind`: takes an offer that
    does not fit. `slip`: records something else than was settled.
    """

    care: float = _share(0.5)
    shares: float = _share(0.5)
    rash: float = _share(0.75)
    blind: float = _share(0.05)
    slip: float = _share(0.04)


MIXED: Sequence[Habits] = (Habits(care=0.15), Habits(care=0.4), Habits(care=0.7))
CAREFUL: Sequence[Habits] = (Habits(care=0.95, shares=0.9, blind=0.02, slip=0.02),)
"""How it behaves that was told to make sure of what was understood."""

PERFECT: Sequence[Habits] = (Habits(care=1.0, shares=1.0, rash=0.0, blind=0.0, slip=0.0),)


class Demonstrator:
    """`lab:demonstrator`, mixed, or `lab:expert`, without a flaw. Its habits are drawn anew for each conversation."""

    scripted = True

    def __init__(self, name: str = DEMONSTRATOR, habits: Sequence[Habits] | None = None) -> None:
        self.name = name
        self.habits = habits or (PERFECT if name == EXPERT else MIXED)
        self._rules: dict[tuple[int, tuple[int, ...]], Rules] = {}

    def join(self, family: Family, checkers: Sequence[Checker], card: RoleCard, rng: Random) -> Shown:
        """Take a seat."""
        key = (id(family), tuple(id(checker) for checker in checkers))
        if key not in self._rules:
            self._rules[key] = Rules(family, checkers)
        return Shown(rng.choice(list(self.habits)), Knowledge(self._rules[key], card), rng)

    async def close(self) -> None:
        """Nothing is held open."""


@frozen
class _At:
    """How things stand when it is the demonstrator's turn."""

    turns: tuple[HeardTurn, ...]
    partner: Mapping[str, Any]
    now: Settled
    untold: tuple[str, ...]
    asked: bool
    left: int


class Shown(Participant):
    """A demonstrator in its seat."""

    def __init__(self, habits: Habits, knowledge: Knowledge, rng: Random) -> None:
        self.habits, self.knowledge, self.rng = habits, knowledge, rng
        self.card = knowledge.card
        self.place = Place.of(knowledge.rules.family, self.card.public, self.card.seat)

    async def speak(self, history: Conversation, left: int) -> Turn:
        """Say the next thing."""
        said = say(self._acts(self._at(history, left)), self.place, self.card, len(history))
        return Turn(len(history), self.card.seat, said.text, "leave" if said.leaves else "speak")

    async def record(self, history: Conversation, schema: Mapping[str, Any], problem: str | None = None) -> Any:
        """What was settled, or a slip."""
        at = self._at(history, 0)
        if self.rng.random() < self.habits.slip:
            return write_record(self._slip(at))
        return write_record(self._settled(at) or Record("decline"))

    def usage(self) -> Usage:
        """No model is behind it."""
        return Usage()

    def tentative(self, history: Conversation) -> Any:
        """What it would record at this point: what is settled or on the table, else the first plan that fits all it
        knows, else what is right where none does."""
        at = self._at(history, 0)
        found = self._settled(at)
        if found is None and at.now.offer is not None and self.knowledge.fits(at.now.offer, at.partner):
            found = Record("agree", at.now.offer)
        if found is None:
            plans = self.knowledge.plans(at.partner)
            found = Record("agree", plans[0]) if plans else self._without_plan()
        return write_record(found)

    # ------------------------------------------------------------------------------------------------- what stands

    def _at(self, history: Conversation, left: int) -> _At:
        turns = self.knowledge.hear(history)
        mine = [h for h in turns if h.turn.seat == self.card.seat]
        told = {fact.kind for h in mine for fact in h.heard.facts if fact.about == "speaker"}
        last = turns[-1] if turns else None
        return _At(
            turns,
            self.knowledge.of_partner(turns),
            settled(turns),
            tuple(c.kind for c in self.card.conditions if c.kind not in told),
            last is not None and last.turn.seat != self.card.seat and Heard.ASK in last.acts,
            left,
        )

    def _settled(self, at: _At) -> Record | None:
        if at.now.outcome == "agree":
            return Record("agree", at.now.terms)
        terms = self.knowledge.rules.family.defer_terms
        if at.now.outcome == "defer" and terms is not None:
            return Record("defer", terms(at.now.terms))
        return Record("decline") if at.now.outcome is not None else None

    def _without_plan(self) -> Record:
        terms, approver = self.knowledge.rules.family.defer_terms, self.card.public.approver
        return Record("decline") if terms is None or approver is None else Record("defer", terms(approver))

    def _slip(self, at: _At) -> Record:
        offered = [plan for h in at.turns for plan in h.plans]
        plans = offered or self.knowledge.plans({})
        return Record("agree", self.rng.choice(list(plans))) if plans and self.rng.random() < 0.6 else Record("decline")

    # ------------------------------------------------------------------------------------------------ what is said

    def _acts(self, at: _At) -> list[Act]:
        theirs = at.now.by is not None and at.now.by != self.card.seat
        if at.now.outcome == "agree":
            return [(w.BYE, None)]
        if at.now.outcome is not None and theirs:
            return self._to_an_end(at)
        if at.now.offer is not None and theirs:
            return self._to_an_offer(at)
        return self._carefully(at) if self.rng.random() < self.habits.care else self._carelessly(at)

    def _to_an_end(self, at: _At) -> list[Act]:
        plans = self.knowledge.plans(at.partner)
        if plans and self.rng.random() < self.habits.care:
            return [*self._tellings(at), (w.OFFER, plans[0])]
        return [(w.BYE, None)]

    def _to_an_offer(self, at: _At) -> list[Act]:
        if self.knowledge.fits(at.now.offer, at.partner) or self.rng.random() < self.habits.blind:
            return [(w.YES, None)]
        return [(w.NO, None), *self._tellings(at)] if self.rng.random() < 0.7 else self._propose(at)

    def _carefully(self, at: _At) -> list[Act]:
        told = self._tellings(at) if at.asked or self.rng.random() < self.habits.shares else []
        if not self._knows(at):
            return [*told, (w.ASK, None)]
        return [*told, *self._propose(at)]

    def _carelessly(self, at: _At) -> list[Act]:
        if self.rng.random() < self.habits.rash:
            return self._propose(at)
        how = self.rng.random()
        if how < 0.3:
            return [self._give_up()]
        if how < 0.5:
            return [(w.FINE, None)]
        if how < 0.7:
            return [(w.ASK, None)]
        mine = [plan for h in at.turns if h.turn.seat == self.card.seat for plan in h.plans]
        return [(w.OFFER, mine[-1])] if mine else [(w.TELL, self.rng.choice(self.card.conditions).kind)]

    def _knows(self, at: _At) -> bool:
        parts = [p for v in at.partner.values() for p in (v.values() if isinstance(v, Mapping) else (v,))]
        return bool(parts) and all(part is not None for part in parts)

    def _tellings(self, at: _At) -> list[Act]:
        return [(w.TELL, kind) for kind in at.untold]

    def _propose(self, at: _At) -> list[Act]:
        """The first plan that fits all it knows and was not tried; one of those that fit where it knows nothing."""
        tried = {freeze(plan) for h in at.turns for plan in h.plans}
        plans = [plan for plan in self.knowledge.plans(at.partner) if freeze(plan) not in tried]
        if not plans:
            return [*self._tellings(at), self._give_up()]
        return [(w.OFFER, plans[0] if self._knows(at) else self.rng.choice(plans))]

    def _give_up(self) -> Act:
        record = self._without_plan()
        return (w.DECLINE, None) if record.terms is None else (w.DEFER, record.terms)
