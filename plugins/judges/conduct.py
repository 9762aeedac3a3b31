"""Conduct: how somebody talked. Reported beside Integrity, optional in a reward, never part of Verified Success."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from attrs import define

from adidem.core import language
from adidem.core.containment import said
from adidem.core.contracts import Ask, Case, Judge
from adidem.core.domain import SEATS, Dimension, Judgement, Rating, Seat
from adidem.core.domain.verdict import Flag
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from adidem.core import knowledge as knowing
    from adidem.core import reach, rules
    from adidem.core.knowledge import Knowledge
    from adidem.core.language import Act
    from adidem.core.listening import HeardTurn
else:
    knowing = LazyModule("adidem.core.knowledge")
    reach = LazyModule("adidem.core.reach")
    rules = LazyModule("adidem.core.rules")


@define
class Conduct:
    """Three dimensions for each seat, higher is better.

    `no_premature_decline` is 0 where the person gave up (declined or deferred, aloud or on paper alone) while the own
    card and what the other had said still admitted a plan, else 1. Following the other's decline is not giving up.
    `substance` is the share of the person's turns that are more than pleasantry; closing words after the matter was
    settled are not counted. `disclosure` is the share of the person's private conditions that can be heard, rightly, in
    what they said: a barrier that hides facts lowers it, and so does keeping them to oneself.
    """

    name: ClassVar[str] = "conduct"
    dimensions: ClassVar[Sequence[Dimension]] = (
        Dimension("no_premature_decline", 0, 1, "seat", "0: gave up while a plan was possible as far as they knew"),
        Dimension("substance", 0, 1, "seat", "share of the person's turns that are more than pleasantry"),
        Dimension("disclosure", 0, 1, "seat", "share of the person's private conditions that their words tell"),
    )

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        """All three for both seats."""
        ratings: list[Rating] = []
        flags: list[Flag] = []
        for seat in SEATS:
            knowledge = knowing.Knowledge(rules.Rules(case.family, case.checkers), case.world.card(seat))
            turns = knowledge.hear(case.conversation)
            flag = _premature(case, seat, knowledge, turns) if case.dialogue else None
            score, why = (0.0, flag.reason) if flag else (1.0, "")
            none = None if case.dialogue else "there was no dialogue"
            ratings.append(Rating("no_premature_decline", seat, None if none else score, why, none))
            ratings.append(_substance(seat, turns))
            ratings.append(_disclosure(case, seat))
            flags += [flag] if flag else []
        return Judgement(self.name, tuple(ratings), tuple(flags))


def _disclosure(case: Case, seat: Seat) -> Rating:
    if not case.dialogue:
        return Rating("disclosure", seat, None, unscored="there was no dialogue")
    told = reach.reached(rules.Rules(case.family, case.checkers), case.world, seat, case.conversation)
    return Rating(
        "disclosure", seat, told, unscored=None if told is not None else "this person has no private condition"
    )


def _premature(case: Case, seat: Seat, knowledge: Knowledge, turns: tuple[HeardTurn, ...]) -> Flag | None:
    for place, heard in enumerate(turns):
        if not _gives_up(heard):
            continue
        if heard.turn.seat != seat:
            return None  # the other gave up first
        return _flag(seat, knowledge, turns[: place + 1], heard.turn.index, heard.turn.text)
    written = case.records.get(seat)
    if written is None or written.outcome not in ("decline", "defer"):
        return None
    return _flag(seat, knowledge, turns, None, "")


def _gives_up(heard: HeardTurn) -> bool:
    return not heard.plans and (language.Act.DECLINE in heard.acts or bool(heard.heard.deferrals))


def _flag(seat: Seat, knowledge: Knowledge, turns: tuple[HeardTurn, ...], index: int | None, quote: str) -> Flag | None:
    plans = knowledge.plans(knowledge.of_partner(turns))
    if not plans:
        return None
    known = said(knowledge.rules.family, plans[0], knowledge.card.public)
    return Flag("premature_decline", seat, index, quote, f"gave up although {known} fitted all that was known")


def _substance(seat: Seat, turns: tuple[HeardTurn, ...]) -> Rating:
    ours = [h for h in turns if h.turn.seat == seat]
    if ours and _empty(ours[-1]) and len(ours) > 1:
        ours = ours[:-1]  # a goodbye
    if not ours:
        return Rating("substance", seat, None, unscored="this person said nothing")
    filler = sum(_empty(h) for h in ours)
    return Rating("substance", seat, 1 - filler / len(ours), f"{filler} of {len(ours)} turns are pleasantry")


def _empty(heard: HeardTurn) -> bool:
    found = heard.heard
    return not (found.facts or found.plans or found.deferrals) and heard.acts <= _pleasantry()


@cache
def _pleasantry() -> frozenset[Act]:
    act = language.Act
    return frozenset({act.FILLER, act.THANK, act.GREET, act.CLOSE})


@hookimpl
def adidem_register_judges(register: Register[Judge]) -> None:
    """Conduct."""
    register(Conduct)
