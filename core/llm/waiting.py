"""Time that a call waits, for a free slot, for its place in a batch, for another try, apart from the time it takes: who
waits says so, and who measures around it leaves that out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import TypeVar

from attrs import define

T = TypeVar("T")


@define
class Stopwatch:
    """Seconds that something took and, apart from them, waited; complete once it has ended."""

    took: float = 0.0
    waited: float = 0.0


_RUNNING: ContextVar[Stopwatch | None] = ContextVar("adidem_stopwatch", default=None)


def waited(seconds: float) -> None:
    """Tell whoever measures that so much of the time was waiting."""
    watch = _RUNNING.get()
    if watch is not None:
        watch.waited += seconds


@contextmanager
def waiting() -> Iterator[None]:
    """All that is done in it is waiting."""
    started = perf_counter()
    try:
        yield
    finally:
        waited(perf_counter() - started)


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    """Measures what is done in it. What waited in it counts as waiting for the one around it too."""
    watch, around, started = Stopwatch(), _RUNNING.get(), perf_counter()
    token = _RUNNING.set(watch)
    try:
        yield watch
    finally:
        _RUNNING.reset(token)
        watch.took = max(0.0, perf_counter() - started - watch.waited)
        if around is not None:
            around.waited += watch.waited


async def together(*each: Awaitable[T]) -> list[T]:
    """`asyncio.gather`. It takes as long as the one that took longest; the rest of the time all of it waited."""
    started = perf_counter()
    found = await asyncio.gather(*map(_alone, each))
    waited(max(0.0, perf_counter() - started - max((took for _, took in found), default=0.0)))
    return [result for result, _ in found]


async def _alone(work: Awaitable[T]) -> tuple[T, float]:
    """In a task of its own, whose waiting nobody around counts."""
    _RUNNING.set(None)
    with stopwatch() as watch:
        result = await work
    return result, watch.took
