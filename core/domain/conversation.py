"""Conversations: the alternating turns of two agents."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import frozen

from adidem.core.domain.scenario import Seat

Action: TypeAlias = Literal["speak", "leave", "none", "non-verbal communication", "action"]
"""Speak and leave are for every family; the others are SOTOPIA's, for families that name them in `actions`."""


@frozen
class Turn:
    """One utterance with its action. `index` counts from 0 over both speakers; `reasoning` is kept apart from the
    text and never shown to the other agent; `meant` is what a scripted speaker meant before a barrier distorted it."""

    index: int
    seat: Seat
    text: str
    action: Action = "speak"
    reasoning: str | None = None
    meant: str | None = None
    seconds: float = 0.0


Conversation: TypeAlias = tuple[Turn, ...]
