"""The plan of an update: pairs and groups, seats, epochs, and what is dropped with what."""

from __future__ import annotations

from collections import Counter

import pytest
from attrs import evolve

from adidem.core.domain import Sampling
from adidem.core.errors import ConfigError
from adidem.core.scenarios import load_bank
from adidem.core.training.sampling import jobs_of, picked, scenarios_needed, seats_of, whole
from rollouts import rollout

PAIRS, GROUPS = Sampling("pairs", 2, probes=True), Sampling("groups", 4)
POOL = [s for s in load_bank("hico") if s.split == "train"]


@pytest.mark.parametrize(("sampling", "count"), [(PAIRS, 96), (GROUPS, 48)])
def test_an_update_of_384_is_that_of_the_paper(sampling: Sampling, count: int) -> None:
    """96 scenarios × 2 worlds × 2 samples, or 48 × 2 × 4; one preassigned seat a scenario."""
    assert scenarios_needed(sampling, 384) == count
    scenarios = picked(POOL, count, 0, 0)
    jobs = jobs_of(sampling, scenarios, seats_of(scenarios), 0, 0)
    assert len(jobs) == 384
    assert Counter(job.task.scenario.id for job in jobs) == Counter({s.id: 384 // count for s in scenarios})
    assert Counter(job.task.world for job in jobs) == {"a": 192, "b": 192}
    for scenario in scenarios:
        ours = [job for job in jobs if job.task.scenario is scenario]
        assert len({job.task.seat for job in ours}) == 1
        assert len({job.opener for job in ours}) == 1
        assert Counter(job.sample for job in ours) == dict.fromkeys(range(sampling.samples), 2)
    assert len({job.seed for job in jobs}) == 384


def test_seats_halve_each_family_and_hang_on_the_scenarios_alone() -> None:
    """The same whatever order they come in."""
    seats = seats_of(POOL)
    assert seats == seats_of(POOL[::-1])
    for family in {s.family for s in POOL}:
        assert Counter(seats[s.id] for s in POOL if s.family == family) == {"first": 8, "second": 8}


def test_every_epoch_holds_every_scenario_once_and_every_update_all_families() -> None:
    """48 a time: two updates an epoch, eight of each family in each."""
    for epoch in range(2):
        parts = [picked(POOL, 48, 7, 2 * epoch + k) for k in range(2)]
        assert {s.id for part in parts for s in part} == {s.id for s in POOL}
        for part in parts:
            assert set(Counter(s.family for s in part).values()) == {8}
    assert picked(POOL, 48, 7, 0) != picked(POOL, 48, 7, 2)
    assert picked(POOL, 48, 7, 0) == picked(POOL, 48, 7, 0)


def test_what_is_drawn_hangs_on_seed_update_and_task() -> None:
    """Other updates and other seeds draw otherwise."""
    scenarios = POOL[:2]
    seats = seats_of(scenarios)
    seen = [tuple(job.seed for job in jobs_of(PAIRS, scenarios, seats, seed, u)) for seed in (0, 1) for u in (0, 1)]
    assert len(set(seen)) == 4
    assert jobs_of(PAIRS, scenarios, seats, 0, 0) == jobs_of(PAIRS, scenarios, seats, 0, 0)


def test_too_few_are_refused() -> None:
    """Conversations for one scenario, scenarios for one update, worlds for one pair."""
    with pytest.raises(ConfigError, match="an update of 3 conversations holds no scenario: one takes 4"):
        scenarios_needed(PAIRS, 3)
    with pytest.raises(ConfigError, match="an update takes 97 scenarios and there are 96"):
        picked(POOL, 97, 0, 0)
    alone = evolve(POOL[0], b=None)
    with pytest.raises(ConfigError, match="has one world alone"):
        jobs_of(PAIRS, [alone], seats_of([alone]), 0, 0)


def test_of_a_pair_both_are_dropped_and_of_a_group_one() -> None:
    """A pair has no sense with one; a group has with two."""
    pair = [rollout(turns=1, world=w, sample=k) for w in "ab" for k in range(2)]
    assert whole([None, *pair[1:]], PAIRS) == [1, 3]
    group = [rollout(turns=1, sample=k) for k in range(4)]
    assert whole([group[0], None, None, group[3]], GROUPS) == [0, 3]
    assert whole([group[0], None, None, None], GROUPS) == []
    assert whole([None, *pair[1:]], PAIRS, imitation=True) == [1, 2, 3]
    assert whole([rollout(turns=1)], Sampling("groups", 1)) == [0]
