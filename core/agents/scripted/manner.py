"""The manners of scripted agents: candid, guarded, agreeable."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen


@frozen
class Manner:
    """How a scripted agent behaves.

    `volunteers`: tells its conditions unasked; `answers`: tells them when asked; `asks`: asks for the other's;
    `checks`: accepts only what fits what it knows.
    """

    name: str
    volunteers: bool
    answers: bool
    asks: bool
    checks: bool


MANNERS: Mapping[str, Manner] = {
    manner.name: manner
    for manner in (
        Manner("candid", volunteers=True, answers=True, asks=True, checks=True),
        Manner("guarded", volunteers=False, answers=True, asks=True, checks=True),
        Manner("agreeable", volunteers=False, answers=False, asks=False, checks=False),
    )
}
