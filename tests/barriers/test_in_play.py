"""A barrier in play: repair by asking, compliance, what an episode keeps, and how facts and success fall."""

import asyncio
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.domain import SEATS, WORLDS, Task, Turn, other
from adidem.core.play import Setup, play
from adidem.core.play import barrier as playing
from adidem.core.play.barrier import compliance, effective, requests, through
from adidem.core.reach import reached
from barrier_talk import BARRIERS

SEVERITIES = st.floats(0, 1)


@given(one=SEVERITIES, two=SEVERITIES, asked=st.integers(0, 20), more=st.integers(0, 5))
def test_asking_lowers_a_severity_and_less_so_the_higher_it_is(one, two, asked, more):
    low, high = sorted((one, two))
    assert 0 <= effective(low, asked) <= low
    assert effective(low, asked) <= effective(high, asked)
    assert effective(high, asked + more) <= effective(high, asked)
    assert effective(low, 0) == low
    if low > 1e-6:
        assert effective(low, asked) / low <= effective(high, asked) / high + 1e-12


@pytest.mark.parametrize(("severity", "asked"), [(1.2, 0), (-0.1, 0), (0.5, -1)])
def test_what_is_no_severity_or_no_count_is_refused(severity, asked):
    with pytest.raises(ValueError, match="severity"):
        effective(severity, asked)


ASK, TELL = "What do you need from your side?", "I need 12 crates."


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ([], 0),
        ([("first", ASK)], 0),
        ([("second", TELL)], 0),
        ([("second", TELL), ("first", ASK)], 1),
        ([("first", ASK), ("second", TELL), ("first", "I suggest 12 crates.")], 0),
        ([("second", TELL), ("first", ASK), ("second", TELL), ("first", ASK)], 1),
        ([("second", TELL), ("second", ASK)], 0),
    ],
)
def test_only_what_the_other_asked_since_one_spoke_counts(said, count):
    history = [Turn(i, seat, text) for i, (seat, text) in enumerate(said)]
    assert requests(history, "second") == count


class Shown:
    """A barrier that says at which severity it was called."""

    name = "shown"

    def distort(self, utterance, severity, rng):
        return f"{severity:.4f}"


def test_a_question_lowers_the_severity_of_the_answer_alone():
    history = []
    spoken = through(((Shown(), 0.5),), "second", Random(0), history)
    for seat, text in (("first", ASK), ("second", TELL), ("first", ASK), ("second", TELL), ("first", TELL)):
        history.append(spoken(Turn(len(history), seat, text)))
    assert [t.text for t in history] == [ASK, "0.5000", ASK, "0.2500", TELL]
    assert [t.meant for t in history] == [None, TELL, None, TELL, None]


@pytest.mark.parametrize(
    ("quotas", "observed", "missed", "complied"),
    [
        ({}, [], (), True),
        ({}, [{"hedges": 3.0}], (), True),
        ({"hedges": (1, 2)}, [], ("hedges",), False),
        ({"hedges": (1, 2)}, [{"hedges": 0.0}, {"hedges": 3.0}], (), True),
        ({"hedges": (1, 2)}, [{"hedges": 2.5}], (), True),
        ({"hedges": (1, 2)}, [{"hedges": 2.51}], ("hedges",), False),
        ({"hedges": (1, 2)}, [{"hedges": 0.49}], ("hedges",), False),
        ({"directness": (0, 0)}, [{"directness": 0.1}], (), True),
        ({"directness": (0, 0)}, [{"directness": 0.11}], ("directness",), False),
        ({"sentiment": (-1, -0.4)}, [{"sentiment": -0.16}], (), True),
        ({"sentiment": (-1, -0.4)}, [{"sentiment": -0.1}], ("sentiment",), False),
        ({"a": (0, 1), "b": (0, 1), "c": (0, 1), "d": (0, 1)}, [{"a": 0, "b": 0, "c": 0, "d": 9}], ("d",), True),
        ({"a": (0, 1), "b": (0, 1), "c": (0, 1)}, [{"a": 0, "b": 0, "c": 9}], ("c",), False),
    ],
)
def test_compliance_by_the_table(quotas, observed, missed, complied):
    found = compliance(quotas, observed)
    assert (found.missed, found.complied) == (missed, complied)


@given(
    values=st.lists(st.floats(0, 10), min_size=1, max_size=8),
    low=st.floats(0, 10),
    width=st.floats(0, 5),
    wider=st.floats(0, 5),
)
def test_a_wider_quota_is_met_where_a_narrower_one_is(values, low, width, wider):
    measured = [{"x": v} for v in values]
    narrow = compliance({"x": (low, low + width)}, measured)
    wide = compliance({"x": (low, low + width + wider)}, measured)
    assert wide.complied or not narrow.complied
    assert min(values) - 1e-9 <= narrow.observed["x"] <= max(values) + 1e-9


def scripted(name):
    return ScriptedAgent(MANNERS[name])


def episodes(selection, *parts, on="partner", agent="guarded", every=1):
    setup = Setup(scripted(agent), scripted("candid"), selection.rules, barrier=parts, barrier_on=on)
    tasks = [Task(s, w, seat) for s in selection.scenarios[::every] for w in WORLDS for seat in SEATS]

    async def all_of_them():
        return [(task, await play(task, setup)) for task in tasks]

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("on", ["agent", "partner"])
def test_an_episode_keeps_how_its_barrier_was_spoken(selection, on):
    parts = ((BARRIERS["semantic_vagueness"], 0.9), (BARRIERS["emotional_interference"], 0.4))
    for task, episode in episodes(selection, *parts, on=on, every=12):
        kept = episode.extra["barrier"]
        assert kept["severity"] == 0.9
        assert kept["parts"] == {"semantic_vagueness": 0.9, "emotional_interference": 0.4}
        assert kept["seat"] == (task.seat if on == "agent" else other(task.seat))
        assert set(kept["quotas"]) <= set(kept["observed"])
        assert set(kept["missed"]) <= set(kept["quotas"])
        assert kept["complied"] in (True, False)
        meant = {turn.seat for turn in episode.turns if turn.meant is not None}
        assert meant <= {kept["seat"]}


def test_a_model_speakers_compliance_is_measured_too(selection):
    class Model(ScriptedAgent):
        scripted = False

    setup = Setup(
        Model(MANNERS["guarded"]),
        Model(MANNERS["candid"]),
        selection.rules,
        barrier=((BARRIERS["semantic_vagueness"], 0.9),),
    )
    episode = asyncio.run(play(Task(selection.scenarios[0], "a", "first"), setup))
    assert all(turn.meant is None for turn in episode.turns)
    assert episode.extra["barrier"]["observed"]["sentences"] > 0
    assert not episode.extra["barrier"]["complied"]


def test_no_barrier_keeps_nothing(selection):
    assert all(episode.extra == {} for _, episode in episodes(selection, every=20))


def shares(selection, *parts):
    """Mean share of the barrier speaker's private facts that reach the other, and of feasible episodes."""
    played = episodes(selection, *parts)
    heard = [
        reached(selection.rules[t.scenario.family], t.scenario.world(t.world), other(t.seat), e.turns)
        for t, e in played
    ]
    return sum(heard) / len(heard), sum(e.feasibility.passed for _, e in played) / len(played)


@pytest.mark.parametrize("name", BARRIERS)
def test_facts_that_reach_the_other_and_success_fall_with_severity(selection, name):
    found = [shares(selection, (BARRIERS[name], severity)) for severity in (0, 0.3, 0.6, 0.9)]
    assert found[0] == (1.0, 1.0)
    for which in (0, 1):
        course = [pair[which] for pair in found]
        assert course == sorted(course, reverse=True)
        assert course[0] > course[2] > course[3]


@pytest.mark.parametrize("name", BARRIERS)
def test_clarification_wins_part_of_it_back(selection, name, monkeypatch):
    part = (BARRIERS[name], 0.5)
    repaired = shares(selection, part)
    monkeypatch.setattr(playing, "requests", lambda _history, _seat: 0)
    left = shares(selection, part)
    assert left[0] < repaired[0] < 1
    assert left[1] <= repaired[1] < 1


def test_who_is_asked_again_tells_again(selection):
    scenario = selection.scenarios[0]
    rules = selection.rules[scenario.family]
    card = scenario.worlds[0].card("first")
    seat = scripted("candid").join(rules.family, rules.checkers, card, Random(0))
    first = asyncio.run(seat.speak((), 12))
    own = [c.text for c in card.conditions]

    def reply(text):
        history = (first, Turn(1, "second", text))
        return asyncio.run(seat.speak(history, 10)).text

    assert all(sentence in first.text for sentence in own)
    assert all(sentence in reply("Sorry, what do you need from your side?") for sentence in own)
    assert not any(sentence in reply("I see.") for sentence in own)
