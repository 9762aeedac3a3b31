"""Slots adapt to what the endpoint bears, are handed out in order, and keep to limits a minute."""

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.llm import CallFailed, Gateway
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
        await one(slots, "rate_limit")
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


async def test_a_failed_call_gives_its_slot_to_the_next_while_it_waits_to_try_again(stub: StubEndpoint) -> None:
    stub.faults = [Fault("503", retry_after=0.3)]
    gateway = Gateway(concurrency=1)
    settings = ModelSettings(api_base=stub.url)
    first, second = [gateway.ask("openai/stub", [{"role": "user", "content": n}], settings=settings) for n in "ab"]
    await asyncio.gather(first, second)
    await gateway.close()
    assert [body["messages"][0]["content"] for body in stub.bodies] == ["a", "b", "a"]
