"""The values everything else speaks of: frozen attrs classes that import nothing of ours.

Each file is imported when a name of it is first asked for: a start makes the classes that it uses alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adidem.core.domain.conversation import Conversation, ToolCall, Turn
    from adidem.core.domain.credit import Objective, Probe, Rollout, Rollouts, Sampling, TurnCredit
    from adidem.core.domain.episode import AgentNames, Cause, Episode
    from adidem.core.domain.heard import Deferral, Fact, Heard, Plan
    from adidem.core.domain.record import Outcome, Record, Written
    from adidem.core.domain.scenario import (
        SEATS,
        WORLDS,
        Condition,
        Public,
        Role,
        RoleCard,
        Scenario,
        Seat,
        Split,
        Task,
        World,
        WorldName,
        other,
    )
    from adidem.core.domain.speech import Dimension, Directive
    from adidem.core.domain.terms import Amount, ByRole, Items, Text, Time
    from adidem.core.domain.usage import Usage
    from adidem.core.domain.verdict import Failure, Feasibility, Flag, Judgement, Rating, Violation

__all__ = [
    "SEATS",
    "WORLDS",
    "AgentNames",
    "Amount",
    "ByRole",
    "Cause",
    "Condition",
    "Conversation",
    "Deferral",
    "Dimension",
    "Directive",
    "Episode",
    "Fact",
    "Failure",
    "Feasibility",
    "Flag",
    "Heard",
    "Items",
    "Judgement",
    "Objective",
    "Outcome",
    "Plan",
    "Probe",
    "Public",
    "Rating",
    "Record",
    "Role",
    "RoleCard",
    "Rollout",
    "Rollouts",
    "Sampling",
    "Scenario",
    "Seat",
    "Split",
    "Task",
    "Text",
    "Time",
    "ToolCall",
    "Turn",
    "TurnCredit",
    "Usage",
    "Violation",
    "World",
    "WorldName",
    "Written",
    "other",
]

_HOME = {
    "conversation": "Conversation ToolCall Turn",
    "credit": "Objective Probe Rollout Rollouts Sampling TurnCredit",
    "episode": "AgentNames Cause Episode",
    "heard": "Deferral Fact Heard Plan",
    "record": "Outcome Record Written",
    "scenario": "SEATS WORLDS Condition Public Role RoleCard Scenario Seat Split Task World WorldName other",
    "speech": "Dimension Directive",
    "terms": "Amount ByRole Items Text Time",
    "usage": "Usage",
    "verdict": "Failure Feasibility Flag Judgement Rating Violation",
}
_PART = {name: part for part, names in _HOME.items() for name in names.split()}


if not TYPE_CHECKING:  # a type checker knows every name there is

    def __getattr__(name: str) -> Any:
        if name not in _PART:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_PART[name]}"), name)
        globals()[name] = value
        return value
