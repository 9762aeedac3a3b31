"""Kept answers: found again for the very same question and for no other, and never in the way."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from adidem.core.domain import Usage
from adidem.core.llm import CallFailed, Gateway
from adidem.core.llm.cache import AnswerCache, cache_file
from adidem.core.registry.config import ModelSettings
from stub_endpoint import Fault, StubEndpoint

HELLO = [{"role": "user", "content": "Hello?"}]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    made = Gateway(attempts=1)
    yield made
    await made.close()


async def test_a_kept_answer_is_the_same_and_costs_nothing(stub: StubEndpoint, gateway: Gateway) -> None:
    stub.answer = [{"n": 3}]
    settings = ModelSettings(api_base=stub.url, price_in=1, price_out=1)
    first = await gateway.ask("openai/stub", HELLO, settings=settings, schema=SCHEMA, cache=True)
    again = await Gateway().ask("openai/stub", HELLO, settings=settings, schema=SCHEMA, cache=True)
    assert len(stub.bodies) == 1
    assert (again.text, again.data, again.finish, again.usage) == (first.text, {"n": 3}, "stop", Usage())


@pytest.mark.parametrize(
    "other",
    [
        {"messages": [{"role": "user", "content": "Hello!"}]},
        {"temperature": 0.5},
        {"max_tokens": 9},
        {"seed": 4},
        {"stop": ("x",)},
        {"repeat": 1},
        {"schema": {**SCHEMA, "title": "other"}},
        {"schema": None},
        {"model": "openai/other"},
        {"settings": {"extra": {"top_k": 2}}},
        {"settings": {"top_p": 0.5}},
        {"settings": {"reasoning_effort": "low"}},
    ],
    ids=str,
)
async def test_another_question_is_asked(stub: StubEndpoint, gateway: Gateway, other: dict[str, Any]) -> None:
    stub.answer = lambda _body: '{"n": 3}'
    base: dict[str, Any] = {"model": "openai/stub", "messages": HELLO, "schema": SCHEMA, "cache": True}
    for more in ({}, other):
        said = {**base, **more, "settings": ModelSettings(api_base=stub.url, **more.get("settings", {}))}
        await gateway.ask(said.pop("model"), said.pop("messages"), **said)
    assert len(stub.bodies) == 2


@pytest.mark.parametrize(
    ("asked", "said", "calls"), [(False, None, 2), (True, None, 1), (True, False, 2), (False, True, 1)]
)
async def test_the_settings_overrule_what_is_asked_for(
    stub: StubEndpoint, gateway: Gateway, asked: bool, said: bool | None, calls: int
) -> None:
    settings = ModelSettings(api_base=stub.url, cache=said)
    for _ in range(2):
        await gateway.ask("openai/stub", HELLO, settings=settings, cache=asked)
    assert len(stub.bodies) == calls


@pytest.mark.parametrize("fault", ["empty", "length", "refusal", "500"])
async def test_what_went_wrong_or_was_cut_off_is_not_kept(stub: StubEndpoint, gateway: Gateway, fault: str) -> None:
    stub.faults = [Fault(fault)]
    for _ in range(2):
        with suppress(CallFailed):
            await gateway.ask("openai/stub", HELLO, settings=ModelSettings(api_base=stub.url), cache=True)
    assert len(stub.bodies) == 2


async def test_a_cache_that_cannot_be_used_is_said_once_and_is_not_in_the_way(
    stub: StubEndpoint, gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    cache_file().write_bytes(b"this is no database, whatever its name says" * 100)
    for _ in range(3):
        await gateway.ask("openai/stub", HELLO, settings=ModelSettings(api_base=stub.url), cache=True)
    assert len(stub.bodies) == 3
    assert len([record for record in caplog.records if "is not used" in record.getMessage()]) == 1


@pytest.mark.parametrize(
    "data", [b'{"zzz": 1}', b"[]", b'{"text": 5, "data": null, "reasoning": null, "finish": "stop"}']
)
async def test_what_is_no_kept_answer_is_asked_anew(stub: StubEndpoint, gateway: Gateway, data: bytes) -> None:
    for _ in range(2):
        answer = await gateway.ask("openai/stub", HELLO, settings=ModelSettings(api_base=stub.url), cache=True)
        assert answer.text == "All right."
        with sqlite3.connect(cache_file()) as db:
            db.execute("UPDATE answers SET data = ?", (data,))
    assert len(stub.bodies) == 2


async def test_no_key_is_kept(stub: StubEndpoint, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-" + "7" * 24)
    await gateway.ask("openai/stub", HELLO, settings=ModelSettings(api_base=stub.url), cache=True)
    await gateway.close()
    assert b"planted" not in cache_file().read_bytes()


async def test_its_contents_are_counted_and_cleared(stub: StubEndpoint, gateway: Gateway) -> None:
    assert AnswerCache().contents().answers == {}
    for model in ("openai/one", "openai/two", "openai/two"):
        await gateway.ask(model, HELLO, settings=ModelSettings(api_base=stub.url), cache=True)
    await gateway.close()
    found = AnswerCache().contents()
    assert found.answers == {"openai/one": 1, "openai/two": 1}
    assert found.size > 0
    assert AnswerCache().clear() == found.size
    assert not cache_file().exists()
