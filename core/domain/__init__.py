"""The values everything else speaks of: frozen attrs classes that import nothing of ours."""

from adidem.core.domain.conversation import Conversation, Turn
from adidem.core.domain.credit import Probe, Rollout, Rollouts, Sampling, TurnCredit
from adidem.core.domain.episode import AgentNames, Cause, Episode, Usage
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
    "Turn",
    "TurnCredit",
    "Usage",
    "Violation",
    "World",
    "WorldName",
    "Written",
    "other",
]
