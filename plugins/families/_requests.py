"""What the rules of authorization and its ears share: the terms of a record, and who may hold authority."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from adidem.core.domain import Amount, Public, Seat, Text


@frozen
class Approval:
    """An agreement: which action, how much of it in the setting's unit, and which of the two approves it."""

    action: Text
    amount: Amount
    approved_by: Text


@frozen
class Referral:
    """A deferral: the person outside the conversation who is to decide."""

    approver: Text


def holder_of(public: Public) -> Seat:
    """The seat of the one who is asked, and so may hold delegated authority."""
    return holder_of_facts(public.facts)


def holder_of_facts(facts: Mapping[str, Any]) -> Seat:
    """The same from the public facts alone."""
    return "second" if facts["requester"] == "first" else "first"
