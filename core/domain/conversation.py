"""Conversations: the alternating turns of two agents."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from adidem.core.domain.scenario import Seat

Action: TypeAlias = Literal["speak", "leave", "none", "non-verbal communication", "action"]
"""Speak and leave are for every family; the others are SOTOPIA's, for families that name them in `actions`."""


@frozen(unsafe_hash=False)
class ToolCall:
    """One call of a tool in the midst of a turn: the tool's name, its arguments, and what came of it, as JSON."""

    name: str
    arguments: dict[str, Any] = field(factory=dict)
    result: Any = None


@frozen
class Turn:
    """One utterance with its action. `index` counts from 0 over both speakers; `reasoning` is kept apart from the
    text and never shown to the other agent, and so are `calls`, the tools called before it was said; `meant` is what a
    scripted speaker meant before a barrier distorted it. `seconds` is how long it took, waiting for its turn left out.
    The tokens are what the speaker used of a model for it."""

    index: int
    seat: Seat
    text: str
    action: Action = "speak"
    reasoning: str | None = None
    meant: str | None = None
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: tuple[ToolCall, ...] = ()


Conversation: TypeAlias = tuple[Turn, ...]
