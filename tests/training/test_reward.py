"""The reward: what is paid for, what never is, and what a trainer sees of a conversation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from attrs import evolve

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.contracts import Ask, Case
from adidem.core.domain import Dimension, Judgement, Rating, Record, Rollout
from adidem.core.play.judge import JudgeSeat
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.mouth import Act
from adidem.core.policy.tongue.place import Place
from adidem.core.records import write_record
from adidem.core.training.lab.demonstrator import EXPERT, Demonstrator
from adidem.core.training.lab.partner import LabPartner
from adidem.core.training.recipe import Reward
from adidem.core.training.reward import Scorer, Unscored, tokens_by_turn
from lab_world import Stubborn, bank, first_plan, jobs, judge, rules, scorer, shown, telling

TRAIN = bank("train")[::16]
CANDID = ScriptedAgent(MANNERS["candid"])


def scored(played: Any, **reward: Any) -> list[Rollout]:
    found = asyncio.run(scorer(**reward).rollouts(played))
    assert not [each for each in found if isinstance(each, Unscored)]
    return [each for each in found if isinstance(each, Rollout)]


def test_who_does_it_right_gets_the_whole_reward_on_the_record_alone() -> None:
    played = shown(jobs(TRAIN), Demonstrator(EXPERT), LabPartner())
    for rollout, each in zip(scored(played, conduct="gate"), played, strict=True):
        assert rollout.rewards == (*[0.0] * (len(rollout.rewards) - 1), pytest.approx(1.0))
        assert rollout.success is True
        own = sum(turn.seat == each.job.task.seat for turn in each.conversation)
        assert len(rollout.rewards) == len(rollout.tokens) == own + 1
        assert all(rollout.tokens)


def always(act: str) -> Any:
    return lambda _: [(act, None)]


def offering(place: Place) -> list[Act]:
    return [(w.OFFER, first_plan(place))]


def agreeing(place: Place) -> Record:
    return Record("agree", first_plan(place))


CONSTANT = {
    "declines at once": (always(w.DECLINE), None),
    "leaves at once": (always(w.BYE), None),
    "is pleasant": (always(w.FINE), None),
    "asks": (always(w.ASK), None),
    "says yes": (always(w.YES), None),
    "says no": (always(w.NO), None),
    "says one plan": (offering, agreeing),
    "records one plan": (always(w.FINE), agreeing),
    "tells and declines": (telling, None),
}


@pytest.mark.parametrize("name", CONSTANT)
@pytest.mark.parametrize("partner", [LabPartner(), CANDID], ids=["lab", "candid"])
def test_an_instant_or_constant_policy_earns_nothing_beside_feasibility_where_a_plan_is_open(
    name: str, partner: Any
) -> None:
    """With conduct as a gate; a plan is open where the world has one and the talk did not settle it by luck."""
    acts, record = CONSTANT[name]
    some = [job for job in jobs(TRAIN) if rules()[job.task.scenario.family].right(world_of(job)).outcome == "agree"]
    rollouts = scored(shown(some, Stubborn(acts, record), partner), conduct="gate")
    for rollout in rollouts:
        beside = rollout.rewards[-1] - 0.8 * rollout.extra["feasibility"]
        assert beside == pytest.approx(0.0), (name, rollout.scenario, rollout.extra)


def test_integrity_alone_would_pay_for_declining_at_once() -> None:
    """Why the gate is there."""
    rollouts = scored(shown(jobs(TRAIN), Stubborn(always(w.DECLINE)), LabPartner()))
    assert sum(r.extra["integrity"] for r in rollouts) >= 0.8 * len(rollouts)
    assert all(r.rewards[-1] >= 0.2 * r.extra["integrity"] for r in rollouts)


def world_of(job: Any) -> Any:
    return job.task.scenario.world(job.task.world)


def test_weights_are_options() -> None:
    played = shown(jobs(TRAIN[:2]), Demonstrator(EXPERT), LabPartner())
    for rollout in scored(played, feasibility=2.0, integrity=1.0):
        assert rollout.rewards[-1] == pytest.approx(3.0)
    for rollout in scored(played, conduct="term", conduct_weight=0.5):
        assert rollout.rewards[-1] == pytest.approx(1.5)


class Moody:
    """A judge that rates from 1 to 5, and not always."""

    name = "moody"
    dimensions = (Dimension("tone", 1, 5),)

    def __init__(self, score: float | None) -> None:
        self.score = score

    async def judge(self, case: Case, ask: Ask) -> Judgement:
        why = None if self.score is not None else "out of order"
        return Judgement(self.name, (Rating("tone", None, self.score, unscored=why),))


def test_any_judge_gives_integrity_brought_to_zero_to_one() -> None:
    played = shown(jobs(TRAIN[:1]), Demonstrator(EXPERT), LabPartner())
    mine = Scorer(rules(), Reward(), JudgeSeat("moody", Moody(2.0)))
    for rollout in asyncio.run(mine.rollouts(played)):
        assert isinstance(rollout, Rollout)
        assert rollout.rewards[-1] == pytest.approx(0.8 + 0.2 * 0.25)
        assert rollout.success is False
        assert rollout.ratings == {"moody.tone": 2.0}


def test_what_no_judge_could_score_has_no_reward() -> None:
    played = shown(jobs(TRAIN[:1]), Demonstrator(EXPERT), LabPartner())
    mine = Scorer(rules(), Reward(), JudgeSeat("moody", Moody(None)))
    assert asyncio.run(mine.rollouts(played)) == [Unscored("moody: out of order")] * len(played)


def test_a_conversation_that_failed_has_no_reward() -> None:
    played = [evolve(each, failure="timeout: no answer") for each in shown(jobs(TRAIN[:1]), CANDID, CANDID)]
    assert asyncio.run(scorer().rollouts(played)) == [Unscored("timeout: no answer")] * len(played)


def test_a_probe_counts_as_both_records_in_both_worlds() -> None:
    """Right here and not there, readable and wrong, unreadable."""
    (each,) = shown(jobs(TRAIN)[:1], Demonstrator(EXPERT), LabPartner())
    scenario = each.job.task.scenario
    here = rules()[scenario.family].right(scenario.world("a"))
    there = rules()[scenario.family].right(scenario.world("b"))
    raws = [
        write_record(Record("agree", here.plans[0])),
        write_record(Record("agree", there.plans[0]) if there.plans else Record("decline")),
        "nothing that is a record",
    ]
    asked = evolve(each, probes=tuple(raws), reached=(0, 1, 2), conversation=each.conversation)
    (rollout,) = asyncio.run(scorer().rollouts([asked]))
    assert isinstance(rollout, Rollout)
    assert [(probe.within, probe.elsewhere) for probe in rollout.probes] == [(True, False), (False, True), (None, None)]
    assert rollout.anchors[0] == "0 "
    assert len(set(rollout.anchors)) == 4


def test_a_scenario_that_is_gone_lends_its_probes_to_no_other() -> None:
    """Fresh scenarios come and go, and a new one may get the identity of an old one: its probes are read anew."""
    (each,) = shown(jobs(TRAIN)[:1], Demonstrator(EXPERT), LabPartner())
    one = each.job.task.scenario
    raw = write_record(Record("agree", rules()[one.family].right(one.world("a")).plans[0]))
    ours = scorer()
    for turn in range(40):
        scenario = evolve(one) if turn % 2 else evolve(one, a=one.b, b=one.a)  # lives for this turn alone
        asked = evolve(
            each, job=evolve(each.job, task=evolve(each.job.task, scenario=scenario)), probes=(raw,), reached=(0,)
        )
        (rollout,) = asyncio.run(ours.rollouts([asked]))
        assert isinstance(rollout, Rollout)
        assert (rollout.probes[0].within, rollout.probes[0].elsewhere) == ((True, False) if turn % 2 else (False, True))
        del scenario, asked, rollout


def test_equal_states_have_equal_anchors_whatever_was_said() -> None:
    (each,) = shown(jobs(TRAIN)[:1], Demonstrator(EXPERT), LabPartner())
    ways: tuple[Any, ...] = (
        {"terms": None, "outcome": "decline"},
        {"outcome": "decline", "terms": None},
        {"outcome": "Declined", "because": "nothing fits"},
        {"outcome": "decline", "terms": {"of": "no matter"}},
    )
    ones = [evolve(each, probes=(way,), reached=(0,)) for way in ways]
    found = {rollout.anchors for rollout in asyncio.run(scorer().rollouts(ones)) if isinstance(rollout, Rollout)}
    assert len(found) == 1


def test_the_same_plan_in_another_order_is_the_same_state() -> None:
    """A model need not list items as we do."""
    job = next(
        job
        for job in jobs(bank("train"))
        if job.task.scenario.family == "set_consent"
        and (plans := rules()["set_consent"].right(world_of(job)).plans)
        and len(write_record(Record("agree", plans[-1]))["terms"]["items"]) > 1
    )
    (each,) = shown([job], Demonstrator(EXPERT), LabPartner())
    straight = write_record(Record("agree", rules()["set_consent"].right(world_of(job)).plans[-1]))
    turned = {"outcome": "agree", "terms": {**straight["terms"], "items": straight["terms"]["items"][::-1]}}
    first, second = asyncio.run(
        scorer().rollouts([evolve(each, probes=(raw,), reached=(0,)) for raw in (straight, turned)])
    )
    assert isinstance(first, Rollout)
    assert isinstance(second, Rollout)
    assert first.anchors == second.anchors


def test_turn_lengths_come_from_turn_ids() -> None:
    assert tokens_by_turn([-1, 0, 0, -1, -1, 1, -1, 2, 2, 2]) == (2, 1, 3)
    assert tokens_by_turn([-1, -1]) == (0,)
    assert judge("conduct").label == "conduct"
