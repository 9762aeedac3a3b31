"""Which episodes a run plays, and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Public, Role, Scenario
from adidem.core.errors import ConfigError
from adidem.core.runs import plan_jobs, spread
from adidem.core.runs.config import changed_keys


def scenario(family, number):
    public = Public("s", "b", (Role("first", "Ana", "x"), Role("second", "Ben", "y")))
    return Scenario(f"{family}/test/{number:02d}", family, "test", "s", public, (), ())


MANY = [scenario(family, n) for family in ("one", "two", "three") for n in range(4)]


def test_families_come_in_turn_each_starting_one_scenario_later():
    ids = [s.id for s in spread(MANY)]
    assert ids[:4] == ["one/test/00", "two/test/01", "three/test/02", "one/test/01"]
    assert sorted(ids) == sorted(s.id for s in MANY)


def test_a_limit_is_spread_over_the_families_and_keeps_a_scenarios_tasks_together():
    jobs = plan_jobs(MANY, ["none"], 1, 12)
    assert len(jobs) == 12
    assert {j.task.scenario.family for j in jobs} == {"one", "two", "three"}
    assert [j.task.id for j in jobs[:4]] == [f"one/test/00/{w}/{s}" for w in "ab" for s in ("first", "second")]


@given(st.integers(1, 3), st.integers(1, 60), st.lists(st.sampled_from("abc"), unique=True))
def test_every_task_is_played_under_every_condition_as_often_as_asked(repeats, limit, more):
    jobs = plan_jobs(MANY, ["none", *more], repeats, limit)
    assert len({j.key for j in jobs}) == len(jobs) == min(limit, 48) * repeats * (1 + len(more))


def test_changed_keys_are_named_with_their_path_and_free_ones_are_not():
    before = {"seed": 0, "concurrency": 4, "components": {"family.x": {"option": 1}}, "turns": 12}
    now = {"seed": 1, "concurrency": 9, "components": {"family.x": {"option": 2}}, "turns": 12}
    assert changed_keys(before, now) == ["components.family.x.option", "seed"]
    assert changed_keys(before, before) == []


@given(st.integers(1, 4), st.integers(1, 30), st.lists(st.sampled_from("abc"), unique=True), st.data())
def test_a_plan_is_as_its_list_of_jobs(repeats, limit, more, data):
    jobs = plan_jobs(MANY, ["none", *more], repeats, limit)
    listed = list(jobs)
    start, stop, step = data.draw(st.integers(-40, 40)), data.draw(st.integers(-40, 40)), data.draw(st.integers(1, 5))
    assert list(jobs[start:stop:step]) == listed[start:stop:step]
    assert [jobs[place] for place in range(len(jobs))] == listed
    assert list(jobs.only(lambda job: job.repeat == 0)) == [job for job in listed if job.repeat == 0]


def test_more_than_a_run_takes_is_refused_with_the_sum():
    with pytest.raises(ConfigError, match="48 tasks × 1 conditions × 1,000,000 repeats are 48,000,000 episodes"):
        plan_jobs(MANY, ["none"], 1_000_000)
    assert len(plan_jobs(MANY, ["none"], 200_000)) == 9_600_000
