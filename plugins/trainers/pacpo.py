"""PaCPO, paired-credit policy optimisation (HICO-Bench, arXiv 2610.20195): a turn earns credit where the plan that the
policy would record after it fits its own world, and the plan formed at the same turn in the other world does not.

    within_t = the probe after turn t is feasible in its own world
    paired_t = within_t ∧ gate_t ∧ the other world's probe at turn t is readable and infeasible in this world
    Φ_t = w·within_t + p·paired_t  (w = 0.25, p = 0.10),   Φ_0 = Φ_T = 0
    r'_t = r_t + Φ_t − Φ_{t−1},  then PPO with GAE (γ = 1) on r'

Since Φ starts and ends at 0 the return of every conversation is what it was. T is the record, the last policy turn; the
turns before it are utterances, with one probe each. Everything that the formula leaves open is decided here:

- *Unequal lengths* (the rule: half to three quarters of all pairs). A conversation that has ended keeps its last probe
  and its last gate: what it would record no longer changes. One that had no probe at all pairs with nobody.
- *Unreadable probes.* An own probe that cannot be read is within nothing: Φ_t = 0. One of the other world's earns no
  paired credit: a policy must not profit from being unreadable there.
- *Records.* A probe counts as within where, written down by both, it would pass Feasibility in that world; declining
  and deferring count like agreeing.
- *The gate* holds back `paired` alone, until the condition that differs is available to the tested role in both
  conversations; it never closes `within`.
- *Pairs.* Sample k of one world belongs with sample k of the other. Without its partner a conversation earns `within`.
- *Truncation* moves nothing: Φ_T = 0 there too, so that no return depends on where a conversation was cut.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar, Literal

from attrs import field, frozen
from attrs.validators import ge, in_, le

from adidem.core.contracts import Trainer
from adidem.core.domain import Objective, Rollout, Rollouts, Sampling, TurnCredit
from adidem.core.hookspecs import Register, hookimpl
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Flags = NDArray[np.bool_]
else:
    np = LazyModule("numpy")


@frozen
class PaCPO:
    """Paired-credit policy optimisation: potential-based credit for turns, from probes in both worlds of a scenario."""

    name: ClassVar[str] = "pacpo"
    within: float = field(default=0.25, validator=[ge(0), le(10)], metadata={"doc": "weight of within-world credit"})
    paired: float = field(default=0.10, validator=[ge(0), le(10)], metadata={"doc": "weight of paired credit"})
    candidate: Literal["other_world", "same_world"] = field(
        default="other_world",
        validator=in_(["other_world", "same_world"]),
        metadata={"doc": "whose plan must not fit here; same_world (another sample of this world) is an ablation"},
    )
    order: Literal["in_place", "shuffled"] = field(
        default="in_place",
        validator=in_(["in_place", "shuffled"]),
        metadata={"doc": "shuffled: Φ is dealt anew to the conversation's turns, an ablation"},
    )
    gate: Literal["disclosure", "open"] = field(
        default="disclosure",
        validator=in_(["disclosure", "open"]),
        metadata={"doc": "open: paired credit from the first turn on, an ablation"},
    )
    probe: Literal["own", "reply"] = field(
        default="own",
        validator=in_(["own", "reply"]),
        metadata={"doc": "probe right after the own turn, or after the partner's reply to it"},
    )
    samples: int = field(default=2, validator=[ge(1), le(64)], metadata={"doc": "conversations in each world"})
    level: Literal["turn", "token"] = field(
        default="turn", validator=in_(["turn", "token"]), metadata={"doc": "what GAE steps over"}
    )
    lam: float = field(default=0.95, validator=[ge(0), le(1)], metadata={"doc": "GAE's λ"})
    whiten: bool = field(default=True, metadata={"doc": "advantages get mean 0 and deviation 1"})
    seed: int = field(default=0, validator=[ge(0), le(2**63 - 1)], metadata={"doc": "of the shuffled order"})

    @property
    def sampling(self) -> Sampling:
        """Pairs with probes."""
        return Sampling("pairs", self.samples, probes=True, probe_at=self.probe)

    @property
    def objective(self) -> Objective:
        """Clipped, with a critic of r'; γ = 1, without which shaping would change returns."""
        return Objective(critic=True, level=self.level, gamma=1.0, lam=self.lam, whiten=self.whiten)

    def credit(self, rollouts: Rollouts) -> TurnCredit:
        """r' of every turn. Raises ValueError where probes are missing or one conversation is there twice."""
        probed = _Probed(rollouts)
        pair = _partners(rollouts)
        here = probed.within
        gate = probed.disclosed & _taken(probed.disclosed, pair)
        if self.candidate == "other_world":
            theirs, fits = pair, probed.elsewhere
        else:
            theirs, fits = _siblings(rollouts), probed.within
        misfit = _taken(probed.readable, theirs) & ~_taken(fits, theirs)
        earned = here & misfit & (gate if self.gate == "disclosure" else np.ones_like(gate))
        potential = (self.within * here + self.paired * earned) * probed.there
        if self.order == "shuffled":
            potential = self._shuffled(potential, rollouts, probed.counts)
        found = _Diagnostics(rollouts, probed, potential, earned, gate, pair)
        return TurnCredit("rewards", _shaped(rollouts, potential), found.numbers())

    def _shuffled(self, potential: Numbers, rollouts: Rollouts, counts: NDArray[np.intp]) -> Numbers:
        """Each conversation's own Φ in another order, drawn from the seed and what identifies the conversation."""
        dealt = potential.copy()
        for row, (rollout, count) in enumerate(zip(rollouts, counts, strict=True)):
            dealt[row, :count] = _stream(self.seed, rollout).permutation(potential[row, :count])
        return dealt


class _Probed:
    """The probes of N conversations as arrays [N, U] of up to U utterances, the last probe carried forward; `there`
    marks the utterances that each really has."""

    def __init__(self, rollouts: Rollouts) -> None:
        for rollout in rollouts:
            if len(rollout.probes) != len(rollout.rewards) - 1:
                raise ValueError(
                    f"pacpo needs a probe after each utterance: {rollout.scenario}/{rollout.world}/{rollout.seat} has "
                    f"{len(rollout.probes)} for {len(rollout.rewards) - 1}"
                )
        self.counts = np.array([len(rollout.probes) for rollout in rollouts], dtype=np.intp)
        most = int(self.counts.max(initial=0))
        self.there: Flags = np.arange(most)[None, :] < self.counts[:, None]
        self.readable = self._flags(rollouts, most, [[p.within is not None for p in r.probes] for r in rollouts])
        self.within = self._flags(rollouts, most, [[p.within is True for p in r.probes] for r in rollouts])
        self.elsewhere = self._flags(rollouts, most, [[p.elsewhere is True for p in r.probes] for r in rollouts])
        self.disclosed = self._flags(rollouts, most, [[p.disclosed for p in r.probes] for r in rollouts])

    @staticmethod
    def _flags(rollouts: Rollouts, most: int, rows: list[list[bool]]) -> Flags:
        found = np.zeros((len(rollouts), most), dtype=np.bool_)
        for place, row in enumerate(rows):
            if row:
                found[place, : len(row)] = row
                found[place, len(row) :] = row[-1]
        return found


def _partners(rollouts: Rollouts) -> NDArray[np.intp]:
    """Of each conversation, the place of the same sample in the other world; -1 where it is not there."""
    places: dict[Hashable, int] = {}
    for place, rollout in enumerate(rollouts):
        key = (rollout.scenario, rollout.seat, rollout.sample, rollout.world)
        if places.setdefault(key, place) != place:
            raise ValueError(f"{'/'.join(map(str, key))} is there twice: which one is whose partner?")
    across = {"a": "b", "b": "a"}
    return np.array([places.get((r.scenario, r.seat, r.sample, across[r.world]), -1) for r in rollouts], dtype=np.intp)


def _siblings(rollouts: Rollouts) -> NDArray[np.intp]:
    """Of each conversation, the place of the next sample of the same world, round again; -1 where it is alone."""
    groups: dict[Hashable, list[tuple[int, int]]] = {}
    for place, rollout in enumerate(rollouts):
        groups.setdefault((rollout.scenario, rollout.seat, rollout.world), []).append((rollout.sample, place))
    found = np.full(len(rollouts), -1, dtype=np.intp)
    for group in groups.values():
        places = [place for _, place in sorted(group)]
        for k, place in enumerate(places):
            if len(places) > 1:
                found[place] = places[(k + 1) % len(places)]
    return found


def _taken(flags: Flags, places: NDArray[np.intp]) -> Flags:
    """The rows of those places; where there is none, a row of False."""
    return flags[places] & (places >= 0)[:, None]


def _shaped(rollouts: Rollouts, potential: Numbers) -> tuple[tuple[float, ...], ...]:
    found = []
    for rollout, phi in zip(rollouts, potential, strict=True):
        count = len(rollout.rewards)
        steps = np.diff(phi[: count - 1], prepend=0.0, append=0.0)
        found.append(tuple((np.asarray(rollout.rewards, dtype=np.float64) + steps).tolist()))
    return tuple(found)


def _stream(seed: int, rollout: Rollout) -> np.random.Generator:
    text = f"{seed}/{rollout.scenario}/{rollout.world}/{rollout.seat}/{rollout.sample}/{rollout.tokens}"
    from hashlib import sha256

    return np.random.default_rng(int.from_bytes(sha256(text.encode()).digest()[:8], "big"))


@frozen(eq=False)
class _Diagnostics:
    """How the credit is made up: shares over utterances, and how well Φ foretells the return."""

    rollouts: Rollouts
    probed: _Probed
    potential: Numbers
    earned: Flags
    gate: Flags
    pair: NDArray[np.intp]

    def numbers(self) -> dict[str, float]:
        """nan where a share or a correlation is undefined. `paired_of_within` near 1 says that paired credit adds next
        to nothing; `variance_left` = Var(R − Φ) / Var(R) below 1 says that Φ explains returns."""
        there = self.probed.there
        phi = self.potential[there]
        returns = np.array([sum(r.rewards) for r in self.rollouts], dtype=np.float64)
        after = np.broadcast_to(returns[:, None], there.shape)[there]
        within, paired = _share(self.probed.within[there]), _share(self.earned[there])
        return {
            "within": within,
            "paired": paired,
            "paired_of_within": paired / within if within > 0 else float("nan"),
            "gate": _share(self.gate[there]),
            "readable": _share(self.probed.readable[there]),
            "unpaired": float(np.mean(self.pair < 0)) if len(self.pair) else float("nan"),
            "corr_phi_return": _correlation(phi, after),
            "variance_left": float(np.var(after - phi) / np.var(after)) if _varies(after) else float("nan"),
        }


def _share(flags: Flags) -> float:
    return float(flags.mean()) if flags.size else float("nan")


def _varies(values: Numbers) -> bool:
    return values.size > 1 and float(np.ptp(values)) > 0


def _correlation(x: Numbers, y: Numbers) -> float:
    return float(np.corrcoef(x, y)[0, 1]) if _varies(x) and _varies(y) else float("nan")


@hookimpl
def adidem_register_trainers(register: Register[Trainer]) -> None:
    """PaCPO."""
    register(PaCPO)
