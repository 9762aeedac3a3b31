"""The canonical form: what determinism is judged on."""

import json

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import AgentNames, Cause, Episode, Turn, Usage
from adidem.core.export.episodes import canonical


def test_same_seed_same_bytes_whatever_the_concurrency(cli) -> None:
    """Three runs of one seed, one of another."""
    words = ("run", "hico", "--limit", "6", "--barrier", "emotional_interference", "--quiet")
    for name, seed, calls in (("one", 5, 1), ("two", 5, 7), ("three", 5, 64), ("other", 6, 7)):
        cli(*words, "--seed", seed, "--concurrency", calls, "--out", name)
        cli("export", name, "--format", "episodes", "--out", f"{name}.jsonl")
    found = {name: open(f"{name}.jsonl", "rb").read() for name in ("one", "two", "three", "other")}  # noqa: SIM115, PTH123
    assert len(found["one"].splitlines()) == 12
    assert found["one"] == found["two"] == found["three"] != found["other"]


def test_every_line_is_an_episode_in_order(cli, played) -> None:
    lines = [json.loads(line) for line in cli("export", played, "--format", "episodes").stdout.splitlines()]
    keys = [(line["task"], line["barrier"], line["repeat"]) for line in lines]
    assert keys == sorted(keys)
    assert len(set(keys)) == 32
    assert {line["outcomes"]["verified_success"] for line in lines} == {True, False}


@given(st.floats(0, 1e6), st.integers(0, 9), st.text(max_size=9), st.integers(1, 9))
def test_clock_network_and_host_leave_no_trace(seconds, failed, message, attempts) -> None:
    """Episodes that differ in these alone are the same line; another word is another one."""
    base = Episode(
        "f/test/01/a/first", "f/test/01", "f", "test", "a", "first", 0, "none", AgentNames("x", "y"), "failed"
    )
    other = evolve(
        base,
        turns=(Turn(0, "first", "Hello.", seconds=seconds),),
        cause=Cause("timeout", f"http://host:1/ {message}", attempts, "turn 1"),
        usage={"agent": Usage(2, failed=(("timeout", failed),))},
        seconds={"total": seconds},
    )
    same = evolve(
        base,
        turns=(Turn(0, "first", "Hello."),),
        cause=Cause("timeout", "", 1, "turn 1"),
        usage={"agent": Usage(2)},
    )
    assert canonical(other) == canonical(same)
    assert canonical(other) != canonical(evolve(same, turns=(Turn(0, "first", "Hallo."),)))
