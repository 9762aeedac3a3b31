"""Tools in a model's turn, against the stub: offered, called, answered, kept in the turn, never seen by the other."""

import json
from collections.abc import AsyncIterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from attrs import evolve

from adidem.core.agents import tools
from adidem.core.agents.chat import ChatAgent
from adidem.core.contracts import Tool
from adidem.core.domain import ToolCall, Turn
from adidem.core.errors import ModelFailure
from adidem.core.llm import Gateway
from adidem.core.llm.transport import Called
from adidem.core.play.converse import converse, seen_by
from adidem.core.registry.config import ModelSettings
from small_world import WORLD
from stub_endpoint import Calls, Fault, StubEndpoint

SCHEMA = {
    "type": "object",
    "properties": {"bag": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["bag"],
    "additionalProperties": False,
}
PRICE = Tool("price", "What bags cost.", SCHEMA, lambda said: {"each": 4, "of": said["bag"], "all": said.get("count")})


class Shop:
    """A family whose first seat may ask for prices."""

    name = "shop"
    terms = None

    def tools(self, card: Any) -> tuple[Tool, ...]:
        return (PRICE,) if card.seat == "first" else ()

    def prompt(self, card: Any) -> str:
        return f"You are {card.name}."


@pytest.fixture
async def agent(stub: StubEndpoint) -> AsyncIterator[ChatAgent]:
    gateway = Gateway(attempts=2, timeout=20, first_wait=0.01)
    yield ChatAgent("openai/stub", gateway, ModelSettings(api_base=stub.url))
    await gateway.close()


def seated(agent: ChatAgent, seat: str = "first") -> Any:
    return agent.join(Shop(), (), WORLD.card(seat), Random(1))  # type: ignore[arg-type]


async def test_a_tool_is_offered_called_and_its_result_shown_before_the_words(stub, agent) -> None:
    stub.answer = [
        Calls((("price", {"bag": "compost"}),)),
        Calls((("price", {"bag": "bark", "count": 2}),)),
        "Four each.",
    ]
    turn = await seated(agent).speak((), 12)
    assert turn.text == "Four each."
    assert turn.calls == (
        ToolCall("price", {"bag": "compost"}, {"each": 4, "of": "compost", "all": None}),
        ToolCall("price", {"bag": "bark", "count": 2}, {"each": 4, "of": "bark", "all": 2}),
    )
    first, *_, last = stub.bodies
    assert [tool["function"]["name"] for tool in first["tools"]] == ["price"]
    assert first["tools"][0]["function"]["parameters"] == SCHEMA
    asked, told = last["messages"][-4:-2]
    assert json.loads(asked["tool_calls"][0]["function"]["arguments"]) == {"bag": "compost"}
    assert told == {
        "role": "tool",
        "tool_call_id": asked["tool_calls"][0]["id"],
        "content": json.dumps(turn.calls[0].result),
    }
    for before, after in pairwise(body["messages"] for body in stub.bodies):
        assert after[: len(before)] == before


async def test_several_calls_in_one_answer_are_all_run(stub, agent) -> None:
    stub.answer = [Calls((("price", {"bag": "a"}), ("price", {"bag": "b"})), "Let me see."), "There."]
    turn = await seated(agent).speak((), 12)
    assert [call.arguments["bag"] for call in turn.calls] == ["a", "b"]
    assert "Let me see" not in turn.text
    assert len({m["tool_call_id"] for m in stub.bodies[1]["messages"] if m["role"] == "tool"}) == 2


async def test_a_prompt_built_anew_from_the_history_starts_as_the_one_before(stub, agent) -> None:
    stub.answer = lambda body: (
        "Four." if body["messages"][-1]["role"] == "tool" else Calls((("price", {"bag": str(len(body["messages"]))}),))
    )
    person = seated(agent)
    history: tuple[Turn, ...] = ()
    for number in range(3):
        turn = await person.speak(history, 12)
        history = (*history, turn, Turn(2 * number + 1, "second", "And?"))
    for before, after in pairwise(body["messages"] for body in stub.bodies):
        assert after[: len(before)] == before


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("prize", {"bag": "x"}), "there is no tool 'prize'; there are price"),
        (("price", "{no json"), "the arguments are no JSON object"),
        (("price", {}), "'bag' is a required property"),
        (("price", {"bag": 3}), "3 is not of type 'string'"),
        (("price", '["bag"]'), "is not of type 'object'"),
    ],
)
async def test_what_cannot_be_run_is_said_and_the_model_may_try_again(stub, agent, call, said) -> None:
    stub.answer = [Calls((call,)), Calls((("price", {"bag": "x"}),)), "Four."]
    turn = await seated(agent).speak((), 12)
    assert said in turn.calls[0].result["error"]
    assert turn.calls[1].result["each"] == 4
    assert turn.text == "Four."


async def test_who_only_calls_has_said_nothing(stub, agent) -> None:
    stub.answer = lambda _body: Calls((("price", {"bag": "x"}),))
    with pytest.raises(ModelFailure) as raised:
        await seated(agent).speak((), 12)
    assert raised.value.kind == "empty"
    assert f"{tools.MOST_CALLS} tool calls" in str(raised.value)


async def test_an_endpoint_that_refuses_tools_is_asked_in_words_from_then_on(stub, agent) -> None:
    stub.faults = [Fault("400", text="this server has no tools")]
    stub.answer = ["", '[call] {"tool": "price", "arguments": {"bag": "bark"}}', "Four each.", "Bye."]
    person = seated(agent)
    turn = await person.speak((), 12)
    assert turn.text == "Four each."
    assert turn.calls == (ToolCall("price", {"bag": "bark"}, {"each": 4, "of": "bark", "all": None}),)
    assert "tools" in stub.bodies[0]
    assert all("tools" not in body for body in stub.bodies[1:])
    assert "price: What bags cost." in stub.bodies[1]["messages"][0]["content"]
    shown = [message["content"] for message in stub.bodies[2]["messages"][-2:]]
    assert shown[0].startswith("[call] ")
    assert shown[1] == '[result] {"each": 4, "of": "bark", "all": null}'
    await seated(evolve(agent)).speak((), 12)
    assert len(stub.bodies) == 4, "another participant knows it too"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Four each.", None),
        ('[call] {"tool": "price", "arguments": {"bag": "x"}}', Called("price", '{"bag": "x"}')),
        ('Well. [CALL] {"tool": "price"}\nThen I say', Called("price", "{}")),
        ('[call]\n{"tool": "price",\n "arguments": {"bag": "x"}}', Called("price", '{"bag": "x"}')),
        ("[call] price(bag)", Called("", "price(bag)")),
        ('<tool_call>\n{"name": "price", "arguments": {"bag": "x"}}\n</tool_call>', Called("price", '{"bag": "x"}')),
        ('I look. <tool_call>{"name": "price"}', Called("price", "{}")),
        ("<tool_call>price(bag)</tool_call>", Called("", "price(bag)")),
        ("</tool_call> no call", None),
    ],
)
def test_calls_in_words(text, wanted) -> None:
    assert tools.written(text) == wanted


async def test_the_seat_without_tools_is_offered_none_and_sees_no_call(stub, agent) -> None:
    def answer(body):
        me = body["messages"][0]["content"]
        if "Maya" in me and body["messages"][-1]["role"] != "tool":
            return Calls((("price", {"bag": "secret"}),))
        return "Right."

    stub.answer = answer
    history: list[Turn] = []
    await converse({"first": seated(agent), "second": seated(agent, "second")}, "first", 4, history)
    assert [len(turn.calls) for turn in history] == [1, 0, 1, 0]
    theirs = [body for body in stub.bodies if "Ben" in body["messages"][0]["content"]]
    assert theirs
    assert all("tools" not in body and "secret" not in json.dumps(body) for body in theirs)
    assert all(turn.calls == () for turn in seen_by(history, "second"))
    assert [len(turn.calls) for turn in seen_by(history, "first")] == [1, 0, 1, 0]


async def test_litellm_is_given_tools_and_its_calls_are_read(stub, monkeypatch) -> None:
    from adidem.core.llm.routes import Transports

    monkeypatch.setenv("OPENAI_API_KEY", "sk-stub-key-000000")
    gateway = Gateway(attempts=1, timeout=20, transport=Transports(everything_by_litellm=True))
    stub.answer = [Calls((("price", {"bag": "bark"}),)), "Four."]
    agent = ChatAgent("openai/stub", gateway, ModelSettings(api_base=stub.url))
    turn = await seated(agent).speak((), 12)
    await gateway.close()
    assert (turn.text, len(turn.calls)) == ("Four.", 1)
    assert stub.bodies[0]["tools"][0]["function"]["name"] == "price"
