"""What a listener makes of a whole conversation: who said which plan, who accepted it, and what was settled aloud.

Scripted agents write their records from this, and the rule judge holds records against it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, evolve, frozen

from adidem.core.contracts import Family
from adidem.core.domain import Conversation, Heard, Public, Seat, Turn
from adidem.core.domain.record import Outcome
from adidem.core.language import Act, find_acts
from adidem.core.records import freeze


@frozen(unsafe_hash=False)
class HeardTurn:
    """A turn with what was heard in it: facts, plans and deferrals by the family, speech acts by everyone's ears."""

    turn: Turn
    heard: Heard
    acts: frozenset[Act]

    @property
    def plans(self) -> tuple[Any, ...]:
        """The terms of the plans put forward in it (not those turned down in the same breath)."""
        return tuple(plan.terms for plan in self.heard.plans if not plan.rejected)


@frozen(unsafe_hash=False)
class Settled:
    """How things stand after a conversation. `outcome` None: nothing was settled; then `offer` may hold the last
    plan that is still on the table. `options` are all plans of the offer where it left a choice ("12 or 14"). `turn` is
    the index at which it was settled or offered, `by` who spoke there."""

    outcome: Outcome | None = None
    terms: Any | None = None
    offer: Any | None = None
    options: tuple[Any, ...] = ()
    turn: int | None = None
    by: Seat | None = None


def listen(family: Family, public: Public, turn: Turn) -> HeardTurn:
    """Hear one turn."""
    return HeardTurn(turn, family.hear(turn.text, public, turn.seat), find_acts(turn.text))


@define
class Ledger:
    """Follows a conversation turn by turn; `now` is how things stand after the last turn taken in.

    An offer stands until it is accepted, turned down or replaced. Saying the other's plan again accepts it. A new plan
    after an agreement opens the matter again; so does a plan after a decline. One person's decline ends the matter
    unless a plan follows it.
    """

    now: Settled = Settled()

    def take(self, heard: HeardTurn) -> Settled:
        """Take in the next turn."""
        self.now = _after(self.now, heard)
        return self.now


def settled(turns: Iterable[HeardTurn]) -> Settled:
    """How things stand after these turns."""
    ledger = Ledger()
    for heard in turns:
        ledger.take(heard)
    return ledger.now


def settled_in(family: Family, public: Public, conversation: Conversation) -> Settled:
    """How things stand after a conversation."""
    return settled(listen(family, public, turn) for turn in conversation)


def _after(now: Settled, heard: HeardTurn) -> Settled:
    turn, acts, plans = heard.turn, heard.acts, heard.plans
    standing = now.offer if now.outcome is None else now.terms
    theirs = now.by is not None and now.by != turn.seat
    if plans:
        return _plans_said(now, turn, plans, standing, theirs, rejecting=Act.REJECT in acts)
    if heard.heard.deferrals and Act.REJECT not in acts:
        name = heard.heard.deferrals[-1].approver
        return Settled("defer", name, turn=turn.index, by=turn.seat)
    if Act.DECLINE in acts:
        return Settled("decline", turn=turn.index, by=turn.seat)
    if now.outcome is None and now.offer is not None and theirs:
        if Act.ACCEPT in acts:
            return Settled("agree", now.offer, None, now.options, turn.index, turn.seat)
        if Act.REJECT in acts or any(plan.rejected for plan in heard.heard.plans):
            return Settled()
    return now


def _plans_said(
    now: Settled, turn: Turn, plans: tuple[Any, ...], standing: Any, theirs: bool, *, rejecting: bool
) -> Settled:
    keys = [freeze(plan) for plan in plans]
    if (
        standing is not None
        and now.outcome != "defer"
        and freeze(standing) in keys
        and (theirs or now.outcome == "agree")
    ):
        if now.outcome == "agree":
            return now if len(keys) == 1 else evolve(now, turn=turn.index)
        if not rejecting and len(keys) == 1:
            return Settled("agree", standing, None, plans, turn.index, turn.seat)
    return Settled(None, None, plans[-1], plans, turn.index, turn.seat)
