"""What a trainer is given and what it gives back: rollouts in, credit per turn out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from attrs import Attribute, field, frozen
from attrs.validators import in_

from adidem.core.domain.scenario import Seat, WorldName

Plan = Literal["pairs", "groups"]
ProbeAt = Literal["own", "reply"]
Source = Literal["policy", "demonstrator"]
Loss = Literal["clipped", "likelihood"]
Level = Literal["turn", "token"]
Reduce = Literal["token", "sequence", "fixed"]
CreditKind = Literal["rewards", "advantages", "weights"]


@frozen
class Sampling:
    """How a trainer wants its rollouts: `samples` in each of both worlds for `pairs` (one preassigned seat a scenario),
    a group of `samples` in one world for `groups`; `probes` asks for a tentative record after each policy turn, right
    after it (`own`) or after the partner's reply. `source` says who plays the tested seat."""

    plan: Plan = field(default="pairs", validator=in_(get_args(Plan)))
    samples: int = 2
    probes: bool = False
    probe_at: ProbeAt = field(default="own", validator=in_(get_args(ProbeAt)))
    source: Source = field(default="policy", validator=in_(get_args(Source)))


def _of_a_clipped_loss(objective: Objective, _attribute: Attribute[bool], critic: bool) -> None:
    if critic and objective.loss == "likelihood":
        raise ValueError("critic: the likelihood is weighted, and a critic has no rewards to learn there")


@frozen
class Objective:
    """What the shared loop makes of a trainer's credit.

    `loss`: `clipped` is PPO's clipped ratio on the behaviour log-probs, `likelihood` the weighted negative
    log-likelihood (imitation). `critic`: a value head is fitted to the rewards as credited (r'), and GAE(γ, λ) by
    `level` makes the advantages; without one the credit is the advantage. `whiten`: advantages get mean 0 and deviation
    1, over turns at turn level and over tokens at token level. `reduce`: the loss is the mean over the trainable
    tokens (`token`), the mean over conversations of their token means (`sequence`), or the sum over tokens ÷
    (conversations · the most tokens one may have) (`fixed`, Dr.GRPO). Another word is a ValueError.
    """

    loss: Loss = field(default="clipped", validator=in_(get_args(Loss)))
    critic: bool = field(default=False, validator=_of_a_clipped_loss)
    level: Level = field(default="turn", validator=in_(get_args(Level)))
    gamma: float = 1.0
    lam: float = 0.95
    whiten: bool = False
    reduce: Reduce = field(default="token", validator=in_(get_args(Reduce)))

    @property
    def kind(self) -> CreditKind:
        """What the numbers of the credit must be: weights of the likelihood, rewards for a critic, else advantages."""
        if self.loss == "likelihood":
            return "weights"
        return "rewards" if self.critic else "advantages"


@frozen(unsafe_hash=False)
class Probe:
    """A tentative record after one policy turn, taken as both records: `within` whether it passes Feasibility in its
    own world, `elsewhere` whether it passes in the scenario's other world; both None where it could not be read.
    `disclosed`: whether the differing condition was available to the tested role by then."""

    within: bool | None
    elsewhere: bool | None
    disclosed: bool


@frozen(unsafe_hash=False)
class Rollout:
    """One conversation as a trainer sees it. Its policy turns are the tested role's utterances and then its record.

    `rewards`: one number a policy turn, the terminal reward on the last (the record). `probes`: none, or one an
    utterance (one fewer than `rewards`). `anchors`: none, or one canonical state a policy turn, before it: free text
    never repeats, but (tentative plan, what was disclosed, turn) does. `success`: Verified Success, None where
    unscored. `ratings`: what judges said, by `judge.dimension`. `truncated`: it was cut off, not ended. `tokens`: how
    many of the policy's tokens each policy turn has.
    """

    scenario: str
    world: WorldName
    seat: Seat
    sample: int
    rewards: tuple[float, ...]
    probes: tuple[Probe, ...] = ()
    anchors: tuple[str, ...] = ()
    success: bool | None = None
    ratings: Mapping[str, float] = field(factory=dict)
    truncated: bool = False
    tokens: tuple[int, ...] = ()
    extra: Mapping[str, Any] = field(factory=dict)


Rollouts = Sequence[Rollout]


@frozen(unsafe_hash=False)
class TurnCredit:
    """Credit per conversation and policy turn, in the order of the rollouts. `kind` says what the numbers are: rewards
    (r') that the shared loop turns into advantages, advantages themselves, or weights of the likelihood (imitation; 0
    leaves a turn out). `diagnostics` are shown with the update."""

    kind: CreditKind = field(validator=in_(get_args(CreditKind)))
    values: tuple[tuple[float, ...], ...]
    diagnostics: dict[str, float] = field(factory=dict)
