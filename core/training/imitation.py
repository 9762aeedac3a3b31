"""Conversations of others as a policy's own: what imitation learns from, for any agent and any codec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adidem.core.domain import Conversation
from adidem.core.policy.contracts import Codec, Cue, View
from adidem.core.training.contracts import Trajectory


def trajectory_of(codec: Codec, view: View, conversation: Conversation, raw: Any, what: Cue = "record") -> Trajectory:
    """A conversation with the record at its end, as if the policy had said and written what the card's holder did.
    With `what` "probe" the record is a tentative one, and the conversation ends where it was taken. Behaviour
    log-probs are 0: there is no behaviour policy."""
    writer = _Writer(codec.opening(view))
    for turn in conversation:
        if turn.seat == view.card.seat:
            writer.own(codec, "turn", codec.spoken(turn, view))
        else:
            writer.add(codec.heard(turn, view))
    writer.own(codec, what, codec.wrote(raw, view))
    return Trajectory(tuple(writer.ids), tuple(writer.turns), (0.0,) * len(writer.ids))


class _Writer:
    def __init__(self, opening: Sequence[int]) -> None:
        self.ids, self.turns, self.count = list(opening), [-1] * len(opening), 0

    def add(self, ids: Sequence[int], turn: int = -1) -> None:
        self.ids += ids
        self.turns += [turn] * len(ids)

    def own(self, codec: Codec, what: Cue, ids: Sequence[int]) -> None:
        self.add(codec.cue(what))
        self.add(ids, self.count)
        self.add(codec.after(what, ids))
        self.count += 1
