"""Records: what a role writes down, alone, after the conversation."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import frozen

Outcome: TypeAlias = Literal["agree", "decline", "defer"]
OUTCOMES: tuple[Outcome, ...] = ("agree", "decline", "defer")


@frozen(unsafe_hash=False)
class Record:
    """A record in canonical form: the outcome and, of an agreement or a deferral, the family's typed terms."""

    outcome: Outcome
    terms: Any | None = None


@frozen(unsafe_hash=False)
class Written:
    """What a role wrote, as stored: the raw answer, and either the canonical outcome and terms (JSON) or the reason
    why it cannot be read. An unreadable record is infeasible; it is not an error."""

    raw: Any
    outcome: Outcome | None = None
    terms: Any | None = None
    unreadable: str | None = None
    attempts: int = 1
