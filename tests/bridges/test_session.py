"""The session behind every bridge: who is asked what, and what it comes to."""

import asyncio
import json
from itertools import pairwise

import pytest

from adidem.core.bridges.game import game, reward_of
from adidem.core.bridges.session import since_own
from adidem.core.domain import SEATS, other
from adidem.core.errors import ConfigError, ModelFailure, UnknownName
from adidem.core.export.scores import scores_of

FAMILY = "bounded_quantities"


@pytest.fixture(scope="module")
def ready():
    return game("hico", family=FAMILY, limit=4, seed=1)


async def played(ready, name, answer, more=0):
    """The episode with these answers, and all that was asked."""
    asked = []
    async with ready.session(name, more) as session:
        messages = await session.next()
        while messages is not None:
            asked.append(messages)
            messages = await session.next(answer(messages))
        return session.episode, asked


def is_record(messages):
    return "Write one JSON object" in messages[-1]["content"]


def declining(messages):
    return '{"outcome": "decline", "terms": null}' if is_record(messages) else "Nothing fits me, I fear. [END]"


def test_what_is_asked_only_grows_and_the_own_words_are_kept(ready) -> None:
    """Turn after turn, then the record; each prompt starts with the one before it and the answer."""

    def answer(messages):
        if is_record(messages):
            return '{"outcome": "decline", "terms": null}'
        return f"What do you need, for the {len(messages)}th time?"

    for name in ready.jobs:
        episode, asked = asyncio.run(played(ready, name, answer))
        assert is_record(asked[-1])
        for before, after in pairwise(asked[:-1]):
            assert after[: len(before)] == before
            assert after[len(before)] == {"role": "assistant", "content": answer(before)}
            assert since_own(after) == after[len(before) + 1 :]
        own = [turn.text for turn in episode.turns if turn.seat == episode.seat]
        assert own == [answer(messages) for messages in asked[:-1]]


def test_the_tested_seat_is_told_its_own_card_alone(ready) -> None:
    for name, job in ready.jobs.items():
        _, asked = asyncio.run(played(ready, name, declining))
        world = job.task.scenario.world(job.task.world)
        for seat in SEATS:
            for condition in world.card(seat).conditions:
                assert (condition.text in asked[0][0]["content"]) == (seat == job.task.seat)
        assert asked[0][0]["content"] == ready.opening(name)[0]["content"]


def test_who_records_what_is_right_is_verified(ready) -> None:
    """Someone who knows both cards: it proposes a right plan, agrees and records it."""
    wins = 0
    for name, job in ready.jobs.items():
        rules = ready.prepared.selection.rules[FAMILY]
        world = job.task.scenario.world(job.task.world)
        right = rules.right(world)
        if right.outcome != "agree":
            continue
        plan = right.plans[0]
        said = rules.family.say(plan, world.public)
        own = " ".join(c.text for c in world.card(job.task.seat).conditions)

        def answer(messages, plan=plan, said=said, own=own):
            if is_record(messages):
                return json.dumps({"outcome": "agree", "terms": {"quantity": plan.quantity}})
            return f"{own} How about {said}?" if len(messages) < 4 else f"Yes, {said}, agreed. [END]"

        episode, _ = asyncio.run(played(ready, name, answer))
        wins += reward_of(episode) == 1.0
    assert wins


def test_a_world_apart_the_same_words_fail(ready) -> None:
    for name in ready.jobs:
        episode, _ = asyncio.run(played(ready, name, declining))
        scores = scores_of(episode)
        assert scores["verified_success"] == float(episode.due == "decline" and scores["integrity"] == 1.0)


def test_the_same_session_is_played_alike_and_a_further_one_is_another_repeat(ready) -> None:
    name = next(iter(ready.jobs))
    one, two = (asyncio.run(played(ready, name, declining))[0] for _ in range(2))
    assert [turn.text for turn in one.turns] == [turn.text for turn in two.turns]
    assert asyncio.run(played(ready, name, declining, more=3))[0].repeat == 3


def test_silence_fails_with_its_cause_and_is_no_zero(ready) -> None:
    with pytest.raises(ModelFailure) as failure:
        asyncio.run(played(ready, next(iter(ready.jobs)), lambda _: ""))
    assert failure.value.kind == "empty"


def test_an_unreadable_record_is_asked_for_once_more(ready) -> None:
    def answer(messages):
        return "Well, whatever." if is_record(messages) else declining(messages)

    episode, asked = asyncio.run(played(ready, next(iter(ready.jobs)), answer))
    assert sum(is_record(messages) or "cannot be read" in messages[-1]["content"] for messages in asked) == 2
    assert episode.records[episode.seat].unreadable
    assert episode.records[other(episode.seat)].unreadable is None


def test_a_session_that_is_not_over_says_so(ready) -> None:
    async def go():
        async with ready.session(next(iter(ready.jobs))) as session:
            await session.next()
            return session.episode

    with pytest.raises(ModelFailure, match="not over"):
        asyncio.run(go())


def test_self_play_needs_somebody_on_the_other_side() -> None:
    with pytest.raises(ConfigError, match="partner"):
        game("sotopia", limit=1)


def test_unknown_names_get_the_nearest(ready) -> None:
    with pytest.raises(UnknownName, match="bounded_quantities"):
        ready.session("bounded_quantities/test/99/a/first none 0")


@pytest.mark.parametrize("names", ["bounded_quantities,set_consent", ["bounded_quantities", "set_consent"]])
def test_names_come_with_commas_or_as_a_list(names) -> None:
    """inspect_ai makes a list of what has a comma in it."""
    made = game("hico", family=names, limit=2)
    assert set(made.prepared.selection.rules) == {"bounded_quantities", "set_consent"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"repeat": 2}, "did you mean 'repeats'"),
        ({"turns": "many"}, "turns: 'many' is none of its values"),
        ({"seats": "third"}, "seats: 'third' is none of its values"),
        ({"split": "tset"}, "split: 'tset' is none of its values"),
        ({"limit": 0}, "from 1 up"),
        ({"limit": "x"}, "from 1 up"),
    ],
)
def test_an_option_that_cannot_be_is_named(options, said) -> None:
    with pytest.raises(ConfigError, match=said):
        game("hico", **options)


def test_fields_of_the_suite_and_settings_are_options(tmp_path) -> None:
    from adidem.plugins.families.casino import OWN

    file = tmp_path / "mine.jsonl"
    file.write_text(OWN.read_text().splitlines()[0] + "\n")
    assert len(game("casino", data=str(file)).jobs) == 2
    with pytest.raises(ConfigError, match="scenario of casino"):
        game("casino", data=str(file), sets="families.casino.max_logs=1")
    assert len(game("casino", repeats=3, limit=1).jobs) == 3


@pytest.mark.parametrize(
    ("suite", "shown"),
    [
        ("hico", ("verified_success", "feasibility", "integrity")),
        ("multiwoz", ("multiwoz.inform", "multiwoz.success", "multiwoz.communication")),
    ],
)
def test_what_is_shown_is_what_can_be_scored(suite, shown) -> None:
    assert game(suite, limit=1).shown == shown


def test_a_negotiation_shows_how_good_the_deal_is_and_no_baseline() -> None:
    shown = game("casino", limit=1).shown
    assert {"feasibility", "negotiation.agreement", "negotiation.nash_surplus"} < set(shown)
    assert not {"integrity", "verified_success", "negotiation.human_surplus"} & set(shown)


def test_a_score_that_nobody_gives_is_refused_before_anything_is_played() -> None:
    with pytest.raises(UnknownName, match=r"negotiation\.nash_surplus"):
        game("casino", limit=1).must_score("negotiation.nash")


def test_tools_of_the_desk_are_called_from_outside_in_words() -> None:
    """The messages ask for calls in words, show the results, and what was looked up counts."""
    made = game("multiwoz", limit=1)

    def answer(messages):
        heard = messages[-1]["content"]
        if heard.startswith("[result] "):
            venue = json.loads(heard.removeprefix("[result] "))["venues"][0]
            return f"I can recommend {venue['name']}, {venue['address']}, telephone {venue['phone']}."
        if "need a restaurant" in heard:
            return '[call] {"tool": "find_restaurant", "arguments": {"food": "italian", "area": "centre"}}'
        return "You are welcome."

    (name,) = made.jobs
    episode, asked = asyncio.run(played(made, name, answer))
    assert "- find_restaurant: " in asked[0][0]["content"]
    assert made.opening(name) == asked[0][:1]
    assert next(len(turn.calls) for turn in episode.turns if turn.seat == episode.seat) == 1
    assert reward_of(episode, "multiwoz.success") == 1.0
