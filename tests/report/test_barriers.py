"""Barrier effects are paired on the same tasks; a hand-worked table, and the laws of pairing."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Judgement, Rating
from adidem.core.report.barriers import barrier_report


def row(scenario, barrier, verified, family="set_consent", seat="first"):
    return {
        "task": f"{scenario}/a/{seat}",
        "barrier": barrier,
        "repeat": 0,
        "scenario": scenario,
        "family": family,
        "feasibility": verified,
        "integrity": True,
        "verified_success": verified,
    }


def rating(scenario, barrier, dimension, score):
    return {
        "task": f"{scenario}/a/first",
        "barrier": barrier,
        "repeat": 0,
        "judge": "sotopia",
        "dimension": dimension,
        "who": "agent",
        "score": score,
    }


ROWS = [
    row("f/test/00", "none", True),
    row("f/test/00", "fog:0.7", False),
    row("f/test/01", "none", True),
    row("f/test/01", "fog:0.7", True),
    row("f/test/02", "none", True),
    row("f/test/02", "fog:0.7", False),
    row("f/test/03", "none", False),
    row("f/test/03", "fog:0.7", False),
    row("f/test/04", "none", True),  # its pair failed: it is in no difference
]
RATINGS = [
    *(rating(f"f/test/0{n}", "none", "goal", 8.0) for n in range(4)),
    *(rating(f"f/test/0{n}", "fog:0.7", "goal", 6.0) for n in range(4)),
    *(rating(f"f/test/0{n}", "none", "relationship", 4.0) for n in range(4)),
    *(rating(f"f/test/0{n}", "fog:0.7", "relationship", 1.0) for n in range(4)),
]
RATINGS.sort(key=lambda r: r["task"])  # as a store gives them


def effects(report):
    return {e.measure: e for e in report.effects}


def test_a_run_without_barriers_has_no_report():
    assert barrier_report([r for r in ROWS if r["barrier"] == "none"], []) is None


def test_hand_worked_differences():
    found = effects(barrier_report(ROWS, RATINGS))
    success = found["verified_success"]
    assert (success.without, success.under, success.difference.value) == (0.75, 0.25, -0.5)
    assert success.difference.n == 4
    assert success.relative.value == pytest.approx(-2 / 3)
    assert found["sotopia.goal"].relative.value == -0.25
    assert found["sotopia.relationship"].relative.value == -0.75


def test_the_fingerprint_is_the_measure_that_falls_most():
    assert barrier_report(ROWS, RATINGS).fingerprint == {"fog:0.7": "sotopia.relationship"}


def test_a_measure_that_rises_is_not_hit():
    risen = [{**r, "score": 9.0} if r["barrier"] != "none" else r for r in RATINGS]
    assert barrier_report(ROWS, risen).fingerprint == {"fog:0.7": None}


def test_what_cannot_be_compared_is_told(cli, copied):
    """A relation that is worse than before without a barrier has no relative change."""

    def change(_, episode):
        hit = episode.barrier != "none"
        rated = (Rating("goal", episode.seat, 5.0 - hit), Rating("relationship", episode.seat, -1.0 - 3 * hit))
        verdict = Judgement("integrity", (Rating("integrity", None, 1.0),), spec="openai/x")
        return evolve(episode, judgements=(verdict, Judgement("sotopia", rated, spec="openai/x")))

    run = copied("run", change, speaks=True, judges={"integrity": "openai/x", "sotopia": "openai/x"})
    text = " ".join(cli("report", run).stdout.split())
    assert "semantic_vagueness:0.7 hits most: sotopia.goal" in text
    assert "not among these, as the mean without a barrier is not above 0: sotopia.relationship" in text


def test_a_models_ratings_make_the_fingerprint_and_not_those_of_the_scripted_judge():
    """The scripted judge saw relationship fall most; the model asked later, goal."""
    model = [{**r, "judge": "sotopia@openai/x"} for r in RATINGS if r["dimension"] == "goal"]
    both = sorted([*RATINGS, *model], key=lambda r: r["task"])
    specs = {"sotopia": "scripted:judge", "sotopia@openai/x": "openai/x"}
    assert barrier_report(ROWS, both, specs).fingerprint == {"fog:0.7": "sotopia@openai/x.goal"}


def test_there_is_no_relative_change_of_a_mean_that_is_not_positive():
    rows = [*ROWS]
    ratings = [
        rating(f"f/test/0{n}", b, "relationship", s) for n in range(4) for b, s in (("none", -1), ("fog:0.7", -3))
    ]
    ratings.sort(key=lambda r: r["task"])
    assert effects(barrier_report(rows, ratings))["sotopia.relationship"].relative is None


def test_families_are_reported_one_by_one():
    rows = [*ROWS, row("g/test/00", "none", True, "authorization"), row("g/test/00", "fog:0.7", True, "authorization")]
    by_family = barrier_report(rows, []).by_family["fog:0.7"]
    assert by_family["authorization"].difference.value == 0
    assert by_family["set_consent"].difference.value == -0.5


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=12))
def test_the_paired_difference_is_the_difference_of_the_means(pairs):
    rows = []
    for n, (without, under) in enumerate(pairs):
        rows += [row(f"f/test/{n:02d}", "none", without), row(f"f/test/{n:02d}", "fog:0.7", under)]
    effect = effects(barrier_report(rows, []))["verified_success"]
    assert effect.difference.value == pytest.approx(effect.under - effect.without)
    assert effect.difference.ci_low <= effect.difference.value + 1e-12
    assert effect.difference.value <= effect.difference.ci_high + 1e-12


def test_the_first_row_of_a_table_says_that_it_is_without_a_barrier(cli, played):
    (row,) = (line.split() for line in cli("report", played).stdout.splitlines() if line.split()[:1] == ["all"])
    assert row[1:4] == ["without", "a", "barrier"]
