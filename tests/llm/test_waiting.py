"""What a call waits is counted apart from what it takes."""

import asyncio
from typing import Any

import pytest

from adidem.core.llm import Gateway, waiting
from adidem.core.llm.waiting import stopwatch, together, waited
from adidem.core.registry.config import ModelSettings
from stub_endpoint import Fault, StubEndpoint

HELLO = [{"role": "user", "content": "Hello?"}]


class Clock:
    """Goes on only when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(waiting, "perf_counter", made)
    return made


def test_waiting_is_no_part_of_what_something_took(clock: Clock) -> None:
    with stopwatch() as watch:
        clock.now += 2
        with waiting.waiting():
            clock.now += 5
        clock.now += 1
    assert (watch.took, watch.waited) == (3, 5)


def test_what_waits_inside_waits_for_all_around(clock: Clock) -> None:
    with stopwatch() as around:
        clock.now += 1
        with stopwatch() as inside:
            clock.now += 2
            waited(1.5)
        waited(0.25)
    assert (inside.took, inside.waited) == (0.5, 1.5)
    assert (around.took, around.waited) == (1.25, 1.75)


def test_where_nobody_measures_nothing_is_kept(clock: Clock) -> None:
    waited(1.0)
    with stopwatch() as watch:
        pass
    assert watch.waited == 0


def test_an_error_is_measured_too(clock: Clock) -> None:
    def fails() -> None:
        with waiting.waiting():
            clock.now += 4
            raise ValueError("no")

    with stopwatch() as watch, pytest.raises(ValueError, match="no"):
        fails()
    assert (watch.took, watch.waited) == (0, 4)


def test_together_takes_as_long_as_its_longest(clock: Clock) -> None:
    """Two that cannot run at once: each waits for the other's work, and that is nobody's time."""

    async def works(seconds: float) -> float:
        clock.now += seconds
        waited(0.0)
        return seconds

    async def measured() -> Any:
        with stopwatch() as watch:
            return await together(works(3), works(2)), watch

    found, watch = asyncio.run(measured())
    assert found == [3, 2]
    assert (watch.took, watch.waited) == (3, 2)


async def test_a_full_endpoint_is_waited_for(stub: StubEndpoint) -> None:
    """Three calls through one slot: the second waits for the first, the third for both."""
    stub.latency = 0.2
    gateway = Gateway(concurrency=1)

    async def asked() -> tuple[float, float]:
        with stopwatch() as watch:
            await gateway.ask("openai/stub", HELLO, settings=ModelSettings(api_base=stub.url))
        return watch.waited, watch.took

    found = sorted(await asyncio.gather(asked(), asked(), asked()))
    await gateway.close()
    assert found[1][0] >= 0.19
    assert found[2][0] >= 0.38
    assert all(took >= 0.19 for _, took in found)


async def test_waiting_before_another_try_is_waiting(stub: StubEndpoint) -> None:
    stub.faults = [Fault("429", retry_after=0.3)]
    gateway = Gateway(first_wait=0.01)
    with stopwatch() as watch:
        await gateway.ask("openai/stub", HELLO, settings=ModelSettings(api_base=stub.url))
    await gateway.close()
    assert watch.waited >= 0.29
