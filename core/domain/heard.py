"""What a listener makes of an utterance: facts about a role, plans put forward, people a plan is deferred to."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import frozen

About: TypeAlias = Literal["speaker", "listener"]


@frozen(unsafe_hash=False)
class Fact:
    """A private condition as heard. `kind` and `value` have the shape of `Condition`; None inside a mapping value is
    'not said'. `start` and `end` are character offsets of the evidence in the utterance."""

    kind: str
    value: Any
    about: About = "speaker"
    start: int = 0
    end: int = 0


@frozen(unsafe_hash=False)
class Plan:
    """A plan as heard, in the family's typed terms, with the offsets of the words that say it. `rejected` marks a plan
    the speaker turns down in the same breath ("40 is too much for me")."""

    terms: Any
    start: int = 0
    end: int = 0
    rejected: bool = False


@frozen
class Deferral:
    """A person outside the conversation to whom the speaker wants to take the matter."""

    approver: str
    start: int = 0
    end: int = 0


@frozen(unsafe_hash=False)
class Heard:
    """All that one utterance says in a family's own terms, each in the order of the text."""

    facts: tuple[Fact, ...] = ()
    plans: tuple[Plan, ...] = ()
    deferrals: tuple[Deferral, ...] = ()
