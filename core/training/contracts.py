"""What flows through training: jobs, what was played as text and as tokens, and what the update takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from adidem.core.domain import Conversation, Rollout, Seat, Task, Written


@frozen(unsafe_hash=False)
class Trajectory:
    """One conversation as the policy's tokens. `ids` [n]; `turns` [n]: the policy turn that a token belongs to (its
    record's is the last one), -1 for every token that was not sampled: context, partner, template; `logps` [n]: the
    behaviour log-prob of a sampled token at the sampling temperature, 0 elsewhere."""

    ids: tuple[int, ...]
    turns: tuple[int, ...]
    logps: tuple[float, ...]
    truncated: bool = False


@frozen(unsafe_hash=False)
class Job:
    """One conversation to play: the task, which sample of it, the seed of everything drawn in it, and who speaks
    first: the same in both worlds and in every sample, so that turns can be laid side by side."""

    task: Task
    sample: int
    seed: int
    opener: Seat = "first"


@frozen(unsafe_hash=False)
class Played:
    """One conversation as it was played: both seats' turns and records, the policy's tokens, and the raw tentative
    records, one a policy utterance (empty without probes). `reached` is the index of the last turn of the conversation
    that was out when each probe was taken."""

    job: Job
    conversation: Conversation
    records: Mapping[Seat, Written]
    trajectory: Trajectory
    probes: tuple[Any, ...] = ()
    reached: tuple[int, ...] = ()
    failure: str | None = None
    times: Mapping[str, float] = field(factory=dict)


@frozen(unsafe_hash=False)
class Sample:
    """A rollout as the update takes it: the tokens and what the trainer saw."""

    trajectory: Trajectory
    rollout: Rollout
