"""What a plugin's judge says is held to what it declares: what is not a rating is unscored, and no run dies of it."""

import asyncio

import pytest

from adidem.core.domain import Dimension, Flag, Judgement, Rating, Task
from adidem.core.play import JudgeSeat, Setup, play

GOOD = {"outcome": "agree", "terms": {"place": "the park"}}


class Wrong:
    name = "wrong"
    dimensions = (Dimension("d", 0, 1), Dimension("e", 0, 1, "seat"))

    def __init__(self, said):
        self.said = said

    async def judge(self, case, ask):
        if isinstance(self.said, BaseException):
            raise self.said
        return self.said


def rated(scenario, rules, fake, said):
    agent, partner = fake(records=[GOOD]), fake(records=[GOOD])
    setup = Setup(agent, partner, rules, (JudgeSeat("wrong", Wrong(said)),), limit=4)
    episode = asyncio.run(play(Task(scenario, "a", "first"), setup))
    assert episode.status == "scored", episode.cause
    (judgement,) = episode.judgements
    assert [(r.dimension, r.seat) for r in judgement.ratings] == [("d", None), ("e", "first"), ("e", "second")]
    assert all((r.score is None) == (r.unscored is not None) for r in judgement.ratings)
    return judgement


@pytest.mark.parametrize("score", [5.0, -1, float("nan"), float("inf"), None, "x", True, 10**400, [1], {}])
def test_a_score_that_is_none_is_unscored(scenario, rules, fake, score):
    said = Judgement("wrong", (Rating("d", None, score), Rating("e", "first", 0.5), Rating("e", "second", 1)))
    judgement = rated(scenario, rules, fake, said)
    assert judgement.ratings[0].unscored
    assert judgement.score("e", "first") == 0.5


@pytest.mark.parametrize(
    "rating",
    [Rating("zz", None, 0.5), Rating("d", "third", 0.5), Rating("d", "first", 0.5), Rating("d", [], 0.5), "text"],
)
def test_what_was_never_declared_is_dropped_and_noted(scenario, rules, fake, rating):
    judgement = rated(scenario, rules, fake, Judgement("wrong", (rating,)))
    assert judgement.notes["dropped"]
    assert all(r.unscored == "the judge gave no rating" for r in judgement.ratings)


def test_a_rating_given_twice_is_unscored(scenario, rules, fake):
    judgement = rated(scenario, rules, fake, Judgement("wrong", (Rating("d", None, 0.5), Rating("d", None, 0.7))))
    assert judgement.ratings[0].unscored == "the judge gave 2 ratings"


@pytest.mark.parametrize("flag", [Flag("k", "third", 0, "q"), Flag("k", None, 99, "q"), Flag("k", None, "1", "q"), 7])
def test_a_flag_that_lies_nowhere_is_dropped(scenario, rules, fake, flag):
    judgement = rated(scenario, rules, fake, Judgement("wrong", (Rating("d", None, 0.5),), (flag,)))
    assert judgement.flags == ()
    assert judgement.score("d") == 0.5


@pytest.mark.parametrize("said", ["text", None, SystemExit(3), ValueError("boom"), Judgement("wrong", 5, 6, 7)])
def test_what_is_no_judgement_is_unscored(scenario, rules, fake, said):
    assert all(r.unscored for r in rated(scenario, rules, fake, said).ratings)


def test_an_interrupt_passes_through(scenario, rules, fake):
    with pytest.raises(KeyboardInterrupt):
        rated(scenario, rules, fake, KeyboardInterrupt())
