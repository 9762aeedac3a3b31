"""What a trainer is given and what it gives back: rollouts in, credit per turn out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import field, frozen

from adidem.core.domain.scenario import Seat, WorldName


@frozen
class Sampling:
    """How a trainer wants its rollouts: `samples` in each of both worlds for `pairs`, in one world for `groups`;
    `probes` asks for a tentative record after each policy turn."""

    plan: Literal["pairs", "groups"] = "pairs"
    samples: int = 2
    probes: bool = False


@frozen(unsafe_hash=False)
class Probe:
    """A tentative record after one policy turn: whether it passes in its own world, whether it passes in the other
    world, and whether the differing condition was available by then. None: it could not be read."""

    within: bool | None
    elsewhere: bool | None
    disclosed: bool


@frozen(unsafe_hash=False)
class Rollout:
    """One conversation as a trainer sees it. `rewards` holds one number per policy turn, the terminal reward on the
    last; `probes` is empty or has one entry per policy turn."""

    scenario: str
    world: WorldName
    seat: Seat
    sample: int
    rewards: tuple[float, ...]
    probes: tuple[Probe, ...] = ()
    anchors: tuple[str, ...] = ()


Rollouts = Sequence[Rollout]


@frozen(unsafe_hash=False)
class TurnCredit:
    """Credit per conversation and policy turn, in the order of the rollouts. `kind` says what the numbers are:
    rewards to be turned into advantages by the shared loop, or advantages themselves."""

    kind: Literal["rewards", "advantages"]
    values: tuple[tuple[float, ...], ...]
    diagnostics: dict[str, float] = field(factory=dict)
