"""A model as an agent, against the stub: what stands in its prompt, how the prompt grows, what is made of answers."""

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest

from adidem.core.agents.chat import ChatAgent
from adidem.core.domain import Conversation, Directive, Turn
from adidem.core.errors import ModelFailure
from adidem.core.llm import Gateway
from adidem.core.registry.config import ModelSettings
from small_world import SCHEMA, WORLD, seat
from stub_endpoint import Fault, StubEndpoint

DECLINE = {"outcome": "decline", "terms": None}


@pytest.fixture
async def agent(stub: StubEndpoint) -> AsyncIterator[ChatAgent]:
    gateway = Gateway(attempts=2, timeout=20, first_wait=0.01)
    yield ChatAgent("openai/stub", gateway, ModelSettings(api_base=stub.url))
    await gateway.close()


def said(stub: StubEndpoint, request: int = -1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = stub.bodies[request]["messages"]
    return found


def talk(*texts: str, opener: str = "first") -> Conversation:
    seats = ("first", "second") if opener == "first" else ("second", "first")
    return tuple(Turn(index, seats[index % 2], text) for index, text in enumerate(texts))  # type: ignore[arg-type]


@pytest.mark.parametrize("where", ["first", "second"])
async def test_a_prompt_holds_ones_own_card_and_not_the_partners(
    stub: StubEndpoint, agent: ChatAgent, where: str
) -> None:
    person = seat(agent, where)
    await person.speak((), 12)
    await person.record(talk("Hi.", "Hello."), SCHEMA)
    own, other = ("first", "second") if where == "first" else ("second", "first")
    for body in stub.bodies:
        text = str(body["messages"])
        assert all(c.text in text for c in WORLD.card(own).conditions)  # type: ignore[arg-type]
        assert not any(c.text in text for c in WORLD.card(other).conditions)  # type: ignore[arg-type]
        assert WORLD.public.story in text
        assert WORLD.public.brief in text


async def test_each_request_starts_with_the_one_before(stub: StubEndpoint, agent: ChatAgent) -> None:
    stub.answer = lambda body: DECLINE if "response_format" in body else f"Mine {len(body['messages'])}."
    for opener, where in (("first", "first"), ("second", "first")):
        stub.bodies.clear()
        person = seat(agent, where)
        history: Conversation = () if opener == where else talk("Theirs 0.", opener=opener)
        for number in range(4):
            turn = await person.speak(history, 12)
            theirs = Turn(len(history) + 1, "second", f"Theirs {number + 1}.")
            history = (*history, turn, theirs)
        await person.record(history[:-1], SCHEMA)  # after one's own turn the request is a message of its own
        await person.record(history, SCHEMA)
        await person.record(history, SCHEMA, "terms.quantity is missing")
        requests = [body["messages"] for body in stub.bodies]
        for before, after in pairwise(requests[:5]):
            assert after[: len(before)] == before
        record, repair = requests[-2:]
        assert repair[: len(record)] == record
        assert record[:-1] == requests[-3][:-1]  # the partner's last words and the request are one message
        roles = [message["role"] for message in repair]
        assert roles[0] == "system"
        assert all(a != b for a, b in pairwise(roles))  # strictly alternating: templates insist
        assert roles[1] == "user"


async def test_the_opener_is_told_that_it_starts_and_the_other_hears_the_opening(
    stub: StubEndpoint, agent: ChatAgent
) -> None:
    await seat(agent).speak((), 12)
    assert [m["role"] for m in said(stub)] == ["system", "user"]
    assert "starts now" in said(stub)[1]["content"]
    await seat(agent, "second").speak(talk("Hi Ben."), 11)
    assert said(stub)[1:] == [{"role": "user", "content": "Hi Ben."}]


async def test_a_turn_is_cleaned_and_the_marker_leaves(stub: StubEndpoint, agent: ChatAgent) -> None:
    stub.answer = ["<think>31 at most?</think>Maya: Thirty, then. [END]\nBen: Fine."]
    turn = await seat(agent).speak(talk("Thirty?", opener="second"), 5)
    assert (turn.index, turn.seat, turn.text, turn.action) == (1, "first", "Thirty, then.", "leave")
    assert turn.reasoning == "31 at most?"
    await seat(agent).record((*talk("Thirty?", opener="second"), turn), SCHEMA)
    assert said(stub)[2] == {"role": "assistant", "content": "Thirty, then. [END]"}
    assert "31 at most" not in str(said(stub))


async def test_a_partner_who_leaves_without_a_word_is_told(stub: StubEndpoint, agent: ChatAgent) -> None:
    await seat(agent).record((*talk("Thirty?"), Turn(1, "second", "", "leave")), SCHEMA)
    assert said(stub)[-1]["content"].startswith("Ben Carter ends the conversation.")


@pytest.mark.parametrize("first", [Fault("empty"), None])
async def test_an_empty_utterance_is_asked_for_once_more(
    stub: StubEndpoint, agent: ChatAgent, first: Fault | None
) -> None:
    stub.answer, stub.faults = ["Ben: I say nothing of mine.", "Thirty?"], [first]
    person = seat(agent)
    assert (await person.speak((), 12)).text == "Thirty?"
    assert stub.bodies[0]["seed"] != stub.bodies[1]["seed"]
    assert person.usage().calls == 2


async def test_nothing_said_twice_is_a_failure(stub: StubEndpoint, agent: ChatAgent) -> None:
    stub.faults = [Fault("empty")] * 2
    person = seat(agent)
    with pytest.raises(ModelFailure) as raised:
        await person.speak((), 12)
    assert (raised.value.kind, raised.value.attempts) == ("empty", 2)
    assert person.usage().calls == 2


async def test_a_record_is_json_or_the_text_that_was_written(stub: StubEndpoint, agent: ChatAgent) -> None:
    good = {"outcome": "agree", "terms": {"quantity": 30}}
    loose = {"outcome": "agree", "terms": {"quantity": "30 bags"}}
    stub.answer = [good, loose, "Thirty, I think.", good]
    person = seat(agent)
    history = talk("Thirty?", "Fine.")
    assert await person.record(history, SCHEMA) == good
    assert await person.record(history, SCHEMA) == loose  # records are read loosely, so this is theirs to judge
    assert await person.record(history, SCHEMA) == "Thirty, I think."
    assert await person.record(history, SCHEMA, "it is not a JSON object") == good
    asked = said(stub)
    assert asked[-2] == {"role": "assistant", "content": "Thirty, I think."}
    assert "it is not a JSON object" in asked[-1]["content"]
    assert '{"outcome": "agree", "terms": {"quantity": <whole number>}}' in asked[-1]["content"]
    assert person.usage().calls == 4


async def test_a_record_between_two_turns_leaves_nothing_behind(stub: StubEndpoint, agent: ChatAgent) -> None:
    history = talk("Hi.", "Hello.")
    probed, plain = seat(agent, seed=5), seat(agent, seed=5)
    await probed.record(history, SCHEMA)
    await probed.speak(history, 9)
    await plain.speak(history, 9)
    assert stub.bodies[1] == stub.bodies[2]


async def test_without_dialogue_the_record_is_asked_from_the_card_alone(stub: StubEndpoint, agent: ChatAgent) -> None:
    await seat(agent).record((), SCHEMA)
    assert [m["role"] for m in said(stub)] == ["system", "user"]
    assert "cannot talk with Ben Carter" in said(stub)[1]["content"]


async def test_a_directive_and_advice_stand_after_the_card(stub: StubEndpoint, agent: ChatAgent) -> None:
    directive = Directive("Be vague.", "You avoid numbers.", ("Say 'that'.",), ("Drop nouns.",), ("You know.",))
    await seat(agent.directed(directive, "Ask when in doubt.")).speak((), 12)
    text = said(stub)[0]["content"]
    places = [text.index(part) for part in ("20 to 44", "Be vague.", "numbers", "'that'", "nouns", "You know", "doubt")]
    assert places == sorted(places)
    await seat(agent).speak((), 12)
    assert "Be vague." not in said(stub)[0]["content"]
