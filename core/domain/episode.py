"""Episodes: one task played and scored, or failed with a typed cause."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from adidem.core.domain.conversation import Turn
from adidem.core.domain.record import Outcome, Written
from adidem.core.domain.scenario import Seat, WorldName
from adidem.core.domain.usage import Usage
from adidem.core.domain.verdict import Feasibility, Judgement

Status: TypeAlias = Literal["scored", "failed"]


@frozen
class Cause:
    """Why an episode failed: a typed kind (`connection`, `timeout`, `rate_limit`, …), what was said, after how many
    attempts, and where (`turn 3`, `record`, `judge integrity`)."""

    kind: str
    message: str
    attempts: int = 1
    where: str = ""


@frozen
class AgentNames:
    """Who spoke: the tested agent's spec and its partner's."""

    agent: str
    partner: str


@frozen(unsafe_hash=False)
class Episode:
    """One task played once, as stored. `barrier` is `none` or the condition's name with its severity; `seat` is the
    tested role; `ended` says why the conversation stopped; `due` is the outcome that is right in its world. `seconds`
    are what its parts took (`dialogue`, `records`, `verdicts`), what it waited in them for a free slot, for a batch or
    while others worked (`waiting`), and all (`total`)."""

    task: str
    scenario: str
    family: str
    split: str
    world: WorldName
    seat: Seat
    repeat: int
    barrier: str
    agents: AgentNames
    status: Status
    opener: Seat = "first"
    dialogue: bool = True
    turns: tuple[Turn, ...] = ()
    ended: str = ""
    records: dict[Seat, Written] = field(factory=dict)
    due: Outcome | None = None
    feasibility: Feasibility | None = None
    judgements: tuple[Judgement, ...] = ()
    cause: Cause | None = None
    usage: dict[str, Usage] = field(factory=dict)
    seconds: dict[str, float] = field(factory=dict)
    extra: dict[str, Any] = field(factory=dict)

    @property
    def key(self) -> tuple[str, str, int]:
        """What makes an episode unique in a run: task, barrier condition, repeat."""
        return self.task, self.barrier, self.repeat
