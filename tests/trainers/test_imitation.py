"""Behaviour cloning and self-reinforcement: which conversations are learned from."""

from __future__ import annotations

import pytest
from attrs import evolve

from adidem.core.contracts import Trainer
from adidem.plugins.trainers.bc import BC
from adidem.plugins.trainers.self_reinforcement import SelfReinforcement
from rollouts import rollout

BOTH = [BC(), SelfReinforcement()]


def rated(goal: float, understanding: float, confusion: float) -> dict[str, float]:
    """Ratings as judges give them."""
    return {
        "sotopia.goal": goal,
        "understanding.mutual_understanding": understanding,
        "understanding.unresolved_confusion": confusion,
    }


@pytest.mark.parametrize("trainer", BOTH, ids=lambda t: t.name)
@pytest.mark.parametrize(
    ("ratings", "kept"),
    [
        (rated(5.1, 3, 2), True),
        (rated(5, 3, 2), False),
        (rated(9, 2.9, 2), False),
        (rated(9, 3, 1.9), False),
    ],
)
def test_socialveils_filter(trainer: Trainer, ratings: dict[str, float], kept: bool) -> None:
    """Goal above 5, understanding at least 3, confusion at least 2; success is not asked where ratings are."""
    one = rollout(0, turns=3, success=not kept, ratings=ratings)
    credit = trainer.credit([one])
    assert (credit.kind, credit.values) == ("weights", ((float(kept),) * 3,))


@pytest.mark.parametrize("trainer", BOTH, ids=lambda t: t.name)
@pytest.mark.parametrize(("success", "kept"), [(True, 1.0), (False, 0.0), (None, 0.0)])
def test_without_ratings_verified_success_decides(trainer: Trainer, success: bool | None, kept: float) -> None:
    """What is unscored is not learned."""
    one = rollout(1, turns=2, success=success, ratings={"sotopia.goal": 9.0})
    assert trainer.credit([one]).values == ((kept, kept),)


def test_what_lacks_a_rating_fails_a_filter_of_ratings() -> None:
    """A rating that is not there is no number."""
    one = rollout(1, turns=2, success=True, ratings={"sotopia.goal": 9.0})
    assert BC(keep="ratings").credit([one]).values == ((0.0, 0.0),)
    assert BC(keep="success").credit([evolve(one, ratings=rated(0, 1, 1))]).values == ((1.0, 1.0),)


@pytest.mark.parametrize("trainer", BOTH, ids=lambda t: t.name)
def test_what_a_judge_failed_to_rate_is_not_let_in_by_another_measure(trainer: Trainer) -> None:
    """Where ratings decide about an update they decide about all of it; how much was unrated is told."""
    good, bad = rated(9, 5, 5), rated(1, 5, 5)
    ones = [rollout(1, turns=1, success=True, ratings=each) for each in (good, bad, {}, {"sotopia.goal": 9.0})]
    credit = trainer.credit(ones)
    assert credit.values == ((1.0,), (0.0,), (0.0,), (0.0,))
    assert credit.diagnostics == {"kept": 0.25, "unrated": 0.5}


def test_of_several_judges_the_strictest_decides() -> None:
    """Two goals: the lower one."""
    one = rollout(1, turns=1, ratings={**rated(9, 5, 5), "sotopia@other.goal": 4.0})
    assert BC().credit([one]).values == ((0.0,),)


def test_the_share_that_is_kept_is_told() -> None:
    """As a diagnostic; of nothing it is undefined."""
    ones = [rollout(1, turns=1, success=ok) for ok in (True, False, False, False)]
    assert BC().credit(ones).diagnostics == {"kept": 0.25}
    assert BC().credit([]).diagnostics["kept"] != BC().credit([]).diagnostics["kept"]


def test_who_plays() -> None:
    """A demonstrator for cloning, the policy itself for reinforcement; both learn by likelihood."""
    assert [t.sampling.source for t in BOTH] == ["demonstrator", "policy"]
    assert [t.objective.loss for t in BOTH] == ["likelihood", "likelihood"]
