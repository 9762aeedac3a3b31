"""One task played: who sees what, when it stops, what a bad record or a broken part leads to."""

import asyncio
from time import sleep

import pytest

from adidem.core.contracts import Answer
from adidem.core.domain import Dimension, Directive, Judgement, Rating, Task
from adidem.core.errors import ModelFailure
from adidem.core.play import JudgeSeat, Setup, play

GOOD = {"outcome": "agree", "terms": {"place": "the park"}}


def played(scenario, rules, agent, partner, seat="first", **changes):
    return asyncio.run(play(Task(scenario, "a", seat), Setup(agent, partner, rules, **changes)))


@pytest.mark.parametrize("seat", ["first", "second"])
def test_each_gets_its_own_card_and_nothing_of_the_others(scenario, rules, fake, seat):
    agent, partner = fake(), fake()
    played(scenario, rules, agent, partner, seat)
    assert agent.cards[0].seat == seat
    assert partner.cards[0].seat != seat
    for card in (*agent.cards, *partner.cards):
        assert {c.owner for c in card.conditions} == {card.seat}


def test_they_alternate_from_the_opener_and_stop_at_the_limit(scenario, rules, fake):
    episode = played(scenario, rules, fake(), fake(), limit=5)
    assert [t.index for t in episode.turns] == [0, 1, 2, 3, 4]
    assert [t.seat for t in episode.turns[:2]] == [episode.opener, "second" if episode.opener == "first" else "first"]
    assert episode.ended == "limit"


def test_who_leaves_ends_it(scenario, rules, fake):
    episode = played(scenario, rules, fake([("Bye.", "leave")] * 2), fake([("Bye.", "leave")] * 2))
    assert len(episode.turns) == 1
    assert episode.ended == "left"


def test_the_same_opener_opens_in_both_worlds(scenario, rules, fake):
    async def both(repeat):
        tasks = [Task(scenario, world, "first") for world in "ab"]
        return {(await play(t, Setup(fake(), fake(), rules), repeat)).opener for t in tasks}

    openers = [asyncio.run(both(repeat)) for repeat in range(12)]
    assert all(len(o) == 1 for o in openers)
    assert len({next(iter(o)) for o in openers}) == 2, "either may open"


def test_a_record_that_cannot_be_read_is_asked_for_once_more_with_the_reason(scenario, rules, fake):
    agent = fake(records=[{"outcome": "perhaps"}, GOOD])
    episode = played(scenario, rules, agent, fake(records=[GOOD]))
    assert agent.problems[0] is None
    assert "'perhaps'" in agent.problems[1]
    assert episode.records["first"].attempts == 2
    assert episode.records["first"].terms == {"place": "the park"}


def test_a_record_that_stays_unreadable_is_infeasible_and_no_error(scenario, rules, fake):
    episode = played(scenario, rules, fake(records=["no idea"]), fake(records=[GOOD]))
    assert episode.status == "scored"
    assert episode.records["first"].outcome is None
    assert episode.feasibility.failures[0].kind == "unreadable"


def test_a_model_failure_is_the_episodes_typed_cause_and_keeps_what_was_said(scenario, rules, fake):
    broken = ModelFailure("rate_limit", "too many requests", attempts=4)
    episode = played(scenario, rules, fake(["Hello.", broken]), fake(["Hi.", "Hm.", "Yes."]))
    assert (episode.status, episode.cause.kind, episode.cause.attempts) == ("failed", "rate_limit", 4)
    assert episode.cause.where == f"after turn {len(episode.turns)}"
    assert episode.turns
    assert episode.feasibility is None


def test_a_fault_in_an_agents_code_is_a_cause_too(scenario, rules, fake):
    episode = played(scenario, rules, fake([ZeroDivisionError("oops")] * 2), fake())
    assert (episode.cause.kind, episode.cause.message) == ("internal_error", "ZeroDivisionError: oops")


def test_cancellation_passes_through(scenario, rules, fake):
    with pytest.raises(asyncio.CancelledError):
        played(scenario, rules, fake([asyncio.CancelledError()] * 2), fake([asyncio.CancelledError()] * 2))


class Raising:
    name = "raising"
    dimensions = (Dimension("warmth", 0, 10, "seat"), Dimension("order", 0, 1))

    async def judge(self, case, ask):
        raise KeyError("tone")


class Asking:
    name = "asking"
    dimensions = (Dimension("depth", 0, 10),)

    async def judge(self, case, ask):
        answer: Answer = await ask([{"role": "user", "content": case.conversation[0].text}])
        return Judgement("asking", (Rating("depth", None, float(answer.text)),))


def test_a_judge_that_raises_leaves_its_dimensions_unscored_with_the_reason(scenario, rules, fake):
    episode = played(scenario, rules, fake(), fake(), judges=(JudgeSeat("raising", Raising()),))
    assert episode.status == "scored"
    ratings = episode.judgements[0].ratings
    assert [(r.dimension, r.seat) for r in ratings] == [("warmth", "first"), ("warmth", "second"), ("order", None)]
    assert all(r.score is None and "KeyError: 'tone'" in r.unscored for r in ratings)


def test_a_judge_without_a_model_is_unscored_and_says_so(scenario, rules, fake):
    episode = played(scenario, rules, fake(), fake(), judges=(JudgeSeat("asking", Asking()),))
    assert "asks a model and has none" in episode.judgements[0].ratings[0].unscored


def test_a_judge_with_a_model_asks_it(scenario, rules, fake):
    async def ask(messages, schema=None):
        return Answer(text="7")

    episode = played(
        scenario, rules, fake(), fake(), judges=(JudgeSeat("asking@test", Asking(), "test", lambda _case, _used: ask),)
    )
    assert episode.judgements[0].score("depth") == 7
    assert (episode.judgements[0].judge, episode.judgements[0].spec) == ("asking@test", "test")


def test_no_dialogue_takes_records_alone(scenario, rules, fake):
    episode = played(scenario, rules, fake(), fake(), dialogue=False)
    assert (episode.turns, episode.ended) == ((), "no dialogue")


def test_usage_is_kept_for_both_and_an_unknown_cost_stays_unknown(scenario, rules, fake):
    episode = played(scenario, rules, fake(), fake())
    assert set(episode.usage) == {"agent", "partner"}
    assert sum(episode.usage.values(), type(episode.usage["agent"])()).cost is None


class Loud:
    name = "loud"

    def directive(self, severity):
        return Directive("Talk loudly.", "", (), (), (), {"length": (0, 9)})

    def measure(self, utterance):
        return {"length": float(len(utterance))}

    def distort(self, utterance, severity, rng):
        return utterance.upper() if severity else utterance


@pytest.mark.parametrize("side", ["agent", "partner"])
def test_a_barrier_changes_what_one_of_them_says_and_what_was_meant_is_kept(scenario, rules, fake, side):
    agent, partner = fake(["hello"] * 9), fake(["hello"] * 9)
    episode = played(scenario, rules, agent, partner, limit=4, barrier=((Loud(), 0.5),), barrier_on=side)
    loud = "first" if side == "agent" else "second"
    assert {(t.seat == loud, t.text) for t in episode.turns} == {(True, "HELLO"), (False, "hello")}
    assert {t.meant for t in episode.turns if t.seat == loud} == {"hello"}
    heard_by_other = partner.shown if side == "agent" else agent.shown
    assert any("HELLO" in shown for shown in heard_by_other)


def test_what_a_record_waits_for_the_others_is_waiting_and_no_record(scenario, rules, fake):
    """Records of agents that work where they stand: the second is begun when the first is done."""

    class Slow(fake):
        async def record(self, history, schema, problem=None):
            sleep(0.1)  # noqa: ASYNC251  as a scripted agent works
            return await super().record(history, schema, problem)

    episode = played(scenario, rules, Slow(["Hello."]), Slow(["Hello."]))
    seconds = episode.seconds
    assert seconds["waiting"] >= 0.09
    assert seconds["records"] >= 0.09
    assert seconds["dialogue"] + seconds["records"] + seconds["verdicts"] + seconds["waiting"] <= seconds["total"]
