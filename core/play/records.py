"""Records: each role writes down, alone, what it believes was settled."""

from __future__ import annotations

from collections.abc import Mapping

from adidem.core.contracts import Family, Participant
from adidem.core.domain import SEATS, Conversation, Public, Seat, Written
from adidem.core.llm.waiting import together
from adidem.core.play.converse import seen_by
from adidem.core.records import record_schema, written


async def take_records(
    participants: Mapping[Seat, Participant], history: Conversation, family: Family, public: Public
) -> dict[Seat, Written]:
    """Ask both roles for their record, each alone and without the other's. An answer that cannot be read is asked for
    once more with the reason shown; then it is stored as unreadable.

    Raises:
        ModelFailure: a participant gave no answer at all.
    """
    both = await together(*(_take(participants[seat], seen_by(history, seat), family, public) for seat in SEATS))
    return dict(zip(SEATS, both, strict=True))


async def _take(participant: Participant, history: Conversation, family: Family, public: Public) -> Written:
    """One record. Asked in a task of its own, where an exit would end the whole loop: it is made an error here."""
    try:
        return await _taken(participant, history, family, public)
    except SystemExit as error:
        raise RuntimeError(f"SystemExit: {error}") from error


async def _taken(participant: Participant, history: Conversation, family: Family, public: Public) -> Written:
    schema = record_schema(family, public)
    first = written(await participant.record(history, schema), family, public)
    if first.unreadable is None:
        return first
    return written(await participant.record(history, schema, first.unreadable), family, public, attempts=2)
