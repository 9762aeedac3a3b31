"""Which episodes hidden states are read of, and what is refused before a model is loaded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.analysis.states_episodes import chosen


@pytest.fixture
def unloaded(monkeypatch):
    monkeypatch.setattr("adidem.core.analysis.states.load_model", lambda _: pytest.fail("it was loaded first"))


def refused(cli, *words) -> str:
    return cli("states", "run", "--model", "hf:smollm2", *words, code=2).stderr


def test_a_limit_that_leaves_one_scenario_is_refused_before_the_model_is_loaded(cli, unloaded) -> None:
    """Both worlds and seats of a scenario come first in a run: the first two episodes were of one, and minutes later
    the table was empty."""
    cli("run", "hico", "--limit", "12", "--barrier", "semantic_vagueness", "--quiet", "--out", "run")
    told = refused(cli, "--limit", "1")
    assert "--limit 1 leaves one of the run's" in told
    assert "give --limit 2 or more" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--limit", "12"], "one condition, 'none': there is nothing to tell apart; play it with --barrier"),
        (["--limit", "1", "--barrier", "semantic_vagueness"], "of one scenario: there is no other one to test on"),
    ],
)
def test_a_run_from_which_nothing_can_be_told_is_refused_too(cli, unloaded, words, said) -> None:
    cli("run", "hico", *words, "--quiet", "--out", "run")
    assert said in refused(cli)


def test_two_episodes_of_each_condition_are_of_two_scenarios() -> None:
    found = chosen([row(barrier, scenario, n) for barrier in "xy" for scenario in "abc" for n in range(4)], 2)
    assert [(each["barrier"], each["scenario"], each["task"]) for each in found] == [
        ("x", "a", 0), ("x", "b", 0), ("y", "a", 0), ("y", "b", 0),
    ]  # fmt: skip


ROWS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abcd")), max_size=30)


@given(ROWS, st.integers(1, 12))
def test_a_limit_takes_as_many_scenarios_as_it_can_and_keeps_the_order(pairs, limit) -> None:
    rows = [row(barrier, scenario, place) for place, (barrier, scenario) in enumerate(pairs)]
    found = chosen(rows, limit)
    assert [each["task"] for each in found] == sorted(each["task"] for each in found)
    assert chosen(rows, None) == rows
    for barrier in "xyz":
        own, had = ([each for each in some if each["barrier"] == barrier] for some in (found, rows))
        assert len(own) == min(limit, len(had))
        assert len({each["scenario"] for each in own}) == min(limit, len({each["scenario"] for each in had}))


def row(barrier: str, scenario: str, task: int) -> dict[str, object]:
    return {"barrier": barrier, "scenario": scenario, "task": task}
