"""Conduct: giving up early and empty talk, seat by seat; never part of Verified Success."""

import pytest

from adidem.plugins.judges.conduct import Conduct

CRATES = ("bounded_quantities/train/00", "a")
DECLINE = {"outcome": "decline"}
TOLD = ("I need 16 crates at least, and 27 at most.", "I can spare 11 to 20 crates.")


@pytest.fixture
def rated(case_of, judged):
    def of(said, records=(DECLINE, DECLINE), scenario=CRATES):
        judgement = judged(Conduct(), case_of(*scenario, said, records))
        return {(r.dimension, r.seat): r.score for r in judgement.ratings}

    return of


def test_declining_while_a_plan_was_open_is_premature(rated):
    scores = rated((*TOLD, "We can't make this work, let's leave it.", "All right."))
    assert scores["no_premature_decline", "first"] == 0
    assert scores["no_premature_decline", "second"] == 1, "following the other is not giving up"


def test_declining_at_once_is_premature(rated):
    assert rated(("No deal is possible, let's call it off.",))["no_premature_decline", "first"] == 0


def test_a_silent_decline_on_paper_is_premature_too(rated):
    scores = rated(("Hello.", "Hi there."))
    assert (scores["no_premature_decline", "first"], scores["no_premature_decline", "second"]) == (0, 0)


def test_declining_where_nothing_fits_is_not(rated):
    said = ("I need 16 crates at least.", "I can spare 12 crates at most.", "Then we can't make this work.")
    assert rated(said)["no_premature_decline", "first"] == 1


def test_substance_is_the_share_of_turns_that_say_something(rated):
    scores = rated(("Hello, lovely to hear from you!", "18 crates?", "That sounds lovely, whatever suits you.", "Bye."))
    assert scores["substance", "first"] < 1
    assert scores["substance", "second"] == 1


def test_who_said_nothing_is_unscored(rated):
    assert rated(("18 crates?",))["substance", "second"] is None


def test_disclosure_is_the_share_of_ones_conditions_that_can_be_heard(rated):
    scores = rated((*TOLD, "18 crates?", "Deal."))
    assert (scores["disclosure", "first"], scores["disclosure", "second"]) == (1.0, 1.0)
    half = rated(("I need 16 crates at least.", "What else?"))
    assert (half["disclosure", "first"], half["disclosure", "second"]) == (0.5, 0.0)
