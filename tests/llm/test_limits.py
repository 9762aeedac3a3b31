"""Slots adapt to what the endpoint bears, are handed out in order, and keep to limits a minute."""

import asyncio
import itertools
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.llm import CallFailed, Gateway, limits
from adidem.core.llm.gateway import _Route as Route
from adidem.core.llm.limits import MINUTE, Slots
from adidem.core.registry.config import ModelSettings
from stub_endpoint import Fault, StubEndpoint


async def one(slots: Slots, kind: str | None = None) -> None:
    try:
        async with slots.slot():
            await asyncio.sleep(0)
            if kind:
                raise CallFailed(kind, "no")
    except CallFailed:
        pass


async def test_too_much_halves_the_slots_once_for_all_calls_in_flight() -> None:
    slots = Slots(64)
    await asyncio.gather(*(one(slots, "rate_limit") for _ in range(64)))
    assert slots.allowed == 32
    await one(slots, "overload")
    assert slots.allowed == 16
    await one(slots, "server_error")
    assert slots.allowed == 16


async def test_a_round_of_answers_adds_about_one_slot_up_to_the_ceiling() -> None:
    slots = Slots(8)
    slots.allowed = 4.0
    await asyncio.gather(*(one(slots) for _ in range(4)))
    assert 4.8 < slots.allowed <= 5
    for _ in range(100):
        await one(slots)
    assert slots.allowed == 8


async def test_one_slot_always_stays() -> None:
    slots = Slots(2)
    for _ in range(9):
        await one(slots, "overload")
    assert slots.allowed == 1
    await one(slots)
    assert slots.in_flight == 0


async def test_slots_are_handed_out_in_order_and_those_who_gave_up_are_passed_over() -> None:
    slots, order = Slots(1), []

    async def call(name: int) -> None:
        async with slots.slot():
            order.append(name)
            await asyncio.sleep(0.001)

    tasks = [asyncio.ensure_future(call(n)) for n in range(6)]
    await asyncio.sleep(0)
    tasks[2].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 1, 3, 4, 5]
    assert slots.in_flight == 0


@given(st.integers(0, 2**32), st.integers(1, 5))
@settings(max_examples=50)
def test_never_more_in_flight_than_allowed_whatever_happens(seed: int, ceiling: int) -> None:
    rng, slots = Random(seed), Slots(ceiling)

    async def call() -> None:
        try:
            async with slots.slot():
                assert slots.in_flight <= ceiling
                for _ in range(rng.randrange(3)):
                    await asyncio.sleep(0)
                if rng.random() < 0.3:
                    raise CallFailed("rate_limit", "no")
        except CallFailed:
            pass

    async def go() -> None:
        tasks = [asyncio.ensure_future(call()) for _ in range(30)]
        for _ in range(10):
            await asyncio.sleep(0)
            tasks[rng.randrange(30)].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(limits, "FIRST_HOLD", 1e-4)
        patched.setattr(limits, "LONGEST_HOLD", 1e-3)
        asyncio.run(go())
    assert slots.in_flight == 0


@pytest.mark.parametrize(("requests", "tokens", "admitted"), [(3, None, 3), (None, 100, 2), (5, 100, 2), (1, 1000, 1)])
async def test_no_more_than_the_limit_a_minute(requests: int | None, tokens: int | None, admitted: int) -> None:
    now = 1000.0
    slots = Slots(64, requests, tokens, clock=lambda: now)
    calls = [asyncio.ensure_future(slots._take(50)) for _ in range(6)]
    await asyncio.sleep(0)
    assert sum(call.done() for call in calls) == admitted
    now += MINUTE - 1
    slots._pump()
    await asyncio.sleep(0)
    assert sum(call.done() for call in calls) == admitted
    now += 1
    slots._pump()
    await asyncio.sleep(0)
    assert sum(call.done() for call in calls) == min(6, 2 * admitted)
    for call in calls:
        call.cancel()


async def test_what_was_used_counts_in_place_of_the_estimate_and_a_giant_goes_alone() -> None:
    now = 0.0
    slots = Slots(64, None, 100, clock=lambda: now)
    first = await slots._take(90)
    slots.used(first, 10)
    assert slots._delay(90) == 0
    assert slots._delay(91) == MINUTE
    assert slots._delay(5000) == MINUTE
    now += MINUTE
    assert slots._delay(5000) == 0


async def test_an_endpoint_that_bears_four_at_once_gets_every_call_through(stub: StubEndpoint) -> None:
    """No call fails, though 40 are wanted at once and the fifth is refused with 429."""
    stub.latency = 0.01
    stub.refuses_above = 4
    gateway = Gateway(concurrency=40, attempts=8, first_wait=0.02)
    settings = ModelSettings(api_base=stub.url)
    ask = [gateway.ask("openai/stub", [{"role": "user", "content": "?"}], settings=settings) for _ in range(120)]
    answers = await asyncio.gather(*ask)
    await gateway.close()
    assert len(answers) == 120
    assert gateway.failures["rate_limit"] < 240


async def asked(stub: StubEndpoint, count: int, **more: Any) -> tuple[list[Any], Gateway]:
    """What comes of so many calls at once, answers and failures."""
    gateway, settings = Gateway(first_wait=0.01, **more), ModelSettings(api_base=stub.url)
    ask = [gateway.ask("openai/stub", [{"role": "user", "content": "?"}], settings=settings) for _ in range(count)]
    found = await asyncio.gather(*ask, return_exceptions=True)
    await gateway.close()
    return found, gateway


def window(calls: int, seconds: float) -> Iterator[Fault | None]:
    """The limit of a provider: so many calls in each stretch of time, the rest refused without a word on when."""
    began, used = time.monotonic(), 0
    while True:
        if time.monotonic() - began >= seconds:
            began, used = time.monotonic(), 0
        used += 1
        yield None if used <= calls else Fault("429")


async def test_a_limit_a_minute_that_nobody_stated_fails_no_call_and_is_hardly_knocked_at(
    stub: StubEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIRST_HOLD", 0.05)
    stub.faults = window(20, 0.6)
    found, gateway = await asked(stub, 80, concurrency=16, attempts=2)
    assert [each for each in found if isinstance(each, Exception)] == []
    assert gateway.failures["rate_limit"] < 120, "each window costs a round of the calls in flight and a few knocks"


async def test_what_the_endpoint_asks_to_wait_holds_for_every_call(stub: StubEndpoint) -> None:
    stub.faults = [Fault("429", retry_after=0.4)]
    times: list[float] = []
    stub.answer = lambda _body: times.append(time.monotonic()) or "Yes."
    began = time.monotonic()
    await asked(stub, 4, concurrency=1)
    assert len(stub.bodies) == 5
    assert min(times) - began >= 0.4


async def test_an_endpoint_that_refuses_everything_is_given_up_when_the_deadline_of_a_call_is_over(
    stub: StubEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FIRST_HOLD", 0.05)
    stub.faults = itertools.repeat(Fault("429"))
    began = time.monotonic()
    found, gateway = await asked(stub, 30, concurrency=4, attempts=3, seconds=1.0)
    assert {getattr(each, "kind", each) for each in found} == {"rate_limit"}
    assert time.monotonic() - began < 5
    assert sum(gateway.failures.values()) <= 30 * 6, "three tries each, and what was refused before"


async def test_with_one_attempt_a_refusal_is_the_end(stub: StubEndpoint) -> None:
    stub.faults = [Fault("429")]
    [failure], _ = await asked(stub, 1, attempts=1)
    assert (failure.kind, failure.attempts, len(stub.bodies)) == ("rate_limit", 1, 1)


async def test_patience_begins_anew_where_nothing_was_asked_for_long() -> None:
    now = 1000.0
    slots = Slots(4, clock=lambda: now, patience=60)

    async def refused() -> bool:
        with pytest.raises(CallFailed):
            async with slots.slot():
                raise CallFailed("rate_limit", "no", retry_after=0)
        return slots.waited_for

    assert await refused()
    now += 50
    assert await refused()
    now += 50
    assert not await refused(), "it has refused everything for 100 seconds"
    now += 61
    assert await refused()
    async with slots.slot():
        pass
    now += 59
    assert await refused()


async def test_a_long_wait_is_told_once(stub: StubEndpoint, caplog: pytest.LogCaptureFixture) -> None:
    slots = Slots(4)
    route = Route("openai/stub", "http://h/v1?key=x", None, slots)
    with pytest.raises(CallFailed):
        async with slots.slot():
            raise CallFailed("rate_limit", "no", retry_after=20)
    route.tell()
    route.tell()
    [record] = caplog.records
    assert "openai/stub at http://h/v1 is asked too often (429) and is let alone for 20 s" in record.getMessage()


async def test_a_failed_call_gives_its_slot_to_the_next_while_it_waits_to_try_again(stub: StubEndpoint) -> None:
    stub.faults = [Fault("503", retry_after=0.3)]
    gateway = Gateway(concurrency=1)
    settings = ModelSettings(api_base=stub.url)
    first, second = [gateway.ask("openai/stub", [{"role": "user", "content": n}], settings=settings) for n in "ab"]
    await asyncio.gather(first, second)
    await gateway.close()
    assert [body["messages"][0]["content"] for body in stub.bodies] == ["a", "b", "a"]
