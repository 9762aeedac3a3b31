"""Detection in real time: after each turn of the one without a barrier, which barrier it believes is at work. Asked off
the record: the answer is in no history and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adidem.core.contracts import Participant
from adidem.core.domain import Conversation, Seat
from adidem.core.play.converse import Watch, seen_by


def watching(
    participants: Mapping[Seat, Participant], listener: Seat, barriers: Mapping[str, str], found: list[dict[str, Any]]
) -> Watch | None:
    """What asks the listener after each of its turns and adds `{turn, said, among}` to `found`; `said` is a barrier's
    name, `none`, or None where no usable answer came, `among` how many answers there were to choose from. None where
    there is nothing to ask, or nobody who can be asked."""
    detect = getattr(participants[listener], "detect", None)
    if not barriers or detect is None:
        return None

    async def watch(history: Conversation) -> None:
        turn = history[-1]
        if turn.seat == listener:
            said = await detect(seen_by(history, listener), barriers)
            found.append({"turn": turn.index, "said": said, "among": len(barriers) + 1})

    return watch
