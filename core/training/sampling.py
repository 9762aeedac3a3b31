"""The plan of an update: which conversations are played, who is tested in each, and what hangs together in it.

A trainer that wants `pairs` gets its samples in both worlds of each scenario, with one preassigned seat a scenario:
sample k of one world is paired with sample k of the other. One that wants `groups` gets a group of samples in each
world. An update holds whole scenarios: 384 conversations are 96 × 2 × 2 or 48 × 2 × 4.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from hashlib import sha256
from random import Random

from adidem.core.domain import SEATS, WORLDS, Rollout, Sampling, Scenario, Seat, Task
from adidem.core.errors import ConfigError
from adidem.core.runs.plan import spread
from adidem.core.training.contracts import Job


def scenarios_needed(sampling: Sampling, conversations: int) -> int:
    """How many scenarios an update of so many conversations holds. Raises ConfigError where it is not even one, or
    where the conversations are not those of whole scenarios."""
    each = len(WORLDS) * sampling.samples
    if conversations < each:
        raise ConfigError(
            f"an update of {conversations} conversations holds no scenario: one takes {each}, {sampling.samples} in "
            "each of its worlds; raise `conversations`"
        )
    if conversations % each:
        low = conversations // each * each
        raise ConfigError(
            f"an update of {conversations} conversations holds no whole number of scenarios: one takes {each}, "
            f"{sampling.samples} in each of its worlds; set `conversations` to {low} or {low + each}"
        )
    return conversations // each


def picked(pool: Sequence[Scenario], count: int, seed: int, update: int) -> list[Scenario]:
    """The scenarios of an update, each once: the pool is gone through in an order drawn anew for each epoch, families
    in turn, so that every update holds all families alike; what is left over at the end of an epoch waits for the next.

    Raises:
        ConfigError: the pool holds fewer.
    """
    if count > len(pool):
        raise ConfigError(
            f"an update takes {count} scenarios and there are {len(pool)}: lower `conversations`, or set "
            "scenarios.source to fresh"
        )
    epoch, place = divmod(update, len(pool) // count)
    rng = Random(f"{seed}/epoch/{epoch}")
    return spread(rng.sample(list(pool), len(pool)))[place * count : (place + 1) * count]


def seats_of(scenarios: Iterable[Scenario]) -> dict[str, Seat]:
    """The preassigned seat of each scenario. It hangs on the scenarios alone and halves each family: in the order of a
    hash of their ids, every other one tests the second seat."""
    by_family: dict[str, list[str]] = {}
    for scenario in scenarios:
        by_family.setdefault(scenario.family, []).append(scenario.id)
    return {
        id: SEATS[place % 2] for ids in by_family.values() for place, id in enumerate(sorted(set(ids), key=_digest))
    }


def jobs_of(
    sampling: Sampling, scenarios: Sequence[Scenario], seats: dict[str, Seat], seed: int, update: int
) -> list[Job]:
    """The conversations of an update: what hangs together stands together, world a before b. Raises ConfigError for a
    scenario that has one world alone."""
    found: list[Job] = []
    for scenario in scenarios:
        if len(scenario.worlds) < len(WORLDS):
            raise ConfigError(f"scenario {scenario.id} has one world alone: there is nothing to pair")
        opener = Random(f"{seed}/{update}/{scenario.id}/opener").choice(SEATS)
        for world in WORLDS:
            task = Task(scenario, world, seats[scenario.id])
            seeds = [_seed(f"{seed}/{update}/{task.id}/{sample}") for sample in range(sampling.samples)]
            found += [Job(task, sample, drawn, opener) for sample, drawn in enumerate(seeds)]
    return found


def whole(rollouts: Sequence[Rollout | None], sampling: Sampling, *, imitation: bool = False) -> list[int]:
    """The places of the rollouts that an update can use. One that is unscored (None) is dropped, and with it what has
    no sense without it: of a pair, the same sample of the other world; of a group, a sample that is left alone.
    Imitation compares nothing and keeps all that is scored."""
    units: dict[Hashable, list[int]] = {}
    for place, rollout in enumerate(rollouts):
        if rollout is not None:
            units.setdefault(_unit(rollout, sampling), []).append(place)
    least = 1 if imitation or (sampling.plan == "groups" and sampling.samples == 1) else 2
    return sorted(place for unit in units.values() if len(unit) >= least for place in unit)


def _unit(rollout: Rollout, sampling: Sampling) -> Hashable:
    if sampling.plan == "pairs":
        return rollout.scenario, rollout.seat, rollout.sample
    return rollout.scenario, rollout.seat, rollout.world


def _seed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 1


def _digest(id: str) -> str:
    return sha256(id.encode()).hexdigest()
