"""Alternating turns of two participants, until one leaves, both fall silent, or the limit is reached."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import evolve

from adidem.core.containment import text_of
from adidem.core.contracts import Participant
from adidem.core.domain import Conversation, Seat, Turn, other
from adidem.core.llm.waiting import stopwatch

Ended: TypeAlias = Literal["left", "limit", "silence"]
SILENT = 3
"""So many turns of doing nothing in a row end a conversation (SOTOPIA: more than two trailing "none")."""

Filter: TypeAlias = Callable[[Turn], Turn]
Watch: TypeAlias = Callable[[Conversation], Awaitable[None]]


async def converse(
    participants: Mapping[Seat, Participant],
    opener: Seat,
    limit: int,
    history: list[Turn],
    barrier: Filter | None = None,
    watch: Watch | None = None,
) -> Ended:
    """Let the two speak in turn, `limit` turns in all at most. Each turn is appended to `history` as it is spoken, so
    that a conversation cut short by a failure is kept; `barrier` may change how a turn comes out; `watch` is shown the
    conversation after every turn and changes nothing.

    Raises:
        ModelFailure: a participant could not speak.
    """
    seat = opener
    while len(history) < limit:
        before = participants[seat].usage()
        with stopwatch() as clock:
            turn = await participants[seat].speak(seen_by(history, seat), limit - len(history))
        text_of(f"the speaker in seat {seat}", turn.text)
        after = participants[seat].usage()
        turn = evolve(
            turn,
            index=len(history),
            seat=seat,
            seconds=round(clock.took, 4),
            prompt_tokens=after.prompt_tokens - before.prompt_tokens,
            completion_tokens=after.completion_tokens - before.completion_tokens,
        )
        history.append(turn if barrier is None else barrier(turn))
        if watch is not None:
            await watch(tuple(history))
        if turn.action == "leave":
            return "left"
        if len(history) >= SILENT and all(said.action == "none" for said in history[-SILENT:]):
            return "silence"
        seat = other(seat)
    return "limit"


def seen_by(history: Sequence[Turn], seat: Seat) -> Conversation:
    """The conversation as the person in that seat is handed it: without the other's tool calls."""
    return tuple(evolve(turn, calls=()) if turn.calls and turn.seat != seat else turn for turn in history)


def told(history: Conversation) -> str:
    """A conversation as plain lines, for messages and logs."""
    return "\n".join(f"{turn.index + 1} {turn.seat}: {turn.text}" for turn in history)
