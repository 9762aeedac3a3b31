"""How many calls one endpoint is given at once, and how many a minute: adaptive slots that belong to calls.

Slots are handed out first come, first served. The number allowed rises by one a round of answers (additive increase) up
to the ceiling, and is halved where the endpoint says that it is too much (multiplicative decrease), once for all the
calls that were in flight then, as TCP does with its window.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from attrs import define, field

from adidem.core.llm.failures import TOO_MUCH, CallFailed

MINUTE = 60.0


@define(eq=False)
class Call:
    """A call in flight: when it was admitted, the tokens it counts for, and how often slots had been cut by then."""

    at: float
    tokens: int
    cuts: int


@define(eq=False)
class Slots:
    """The slots of one endpoint.

    `ceiling` is the most calls at once; `requests` and `tokens` the most within any 60 seconds (None: no such limit).
    `allowed` is the number of calls at once as adapted so far, at least 1.
    """

    ceiling: int
    requests: int | None = None
    tokens: int | None = None
    clock: Callable[[], float] = monotonic
    allowed: float = field(init=False)
    in_flight: int = field(default=0, init=False)
    cuts: int = field(default=0, init=False)
    _waiting: deque[tuple[asyncio.Future[Call], int]] = field(factory=deque, init=False)
    _recent: deque[Call] = field(factory=deque, init=False)
    _used: int = field(default=0, init=False)
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.allowed = float(self.ceiling)

    @asynccontextmanager
    async def slot(self, tokens: int = 0) -> AsyncIterator[Call]:
        """One call's slot. `tokens` is an estimate, which `used` puts right. How the body ends
        adapts the number of slots: CallFailed of a kind in `TOO_MUCH` cuts it, no error raises it."""
        call = await self._take(tokens)
        try:
            yield call
        except CallFailed as failure:
            if failure.kind in TOO_MUCH:
                self._cut(call)
            raise
        else:
            self.allowed = min(float(self.ceiling), self.allowed + 1.0 / self.allowed)
        finally:
            self.in_flight -= 1
            self._pump()

    def used(self, call: Call, tokens: int) -> None:
        """Count what a call really used, in place of the estimate."""
        if self._limited:
            self._used += tokens - call.tokens
            call.tokens = tokens

    async def _take(self, tokens: int) -> Call:
        if not self._waiting and self._free(tokens):
            return self._admit(tokens)
        future: asyncio.Future[Call] = asyncio.get_running_loop().create_future()
        self._waiting.append((future, tokens))
        self._pump()
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():  # it was given a slot, and nobody will use it
                self.in_flight -= 1
            self._pump()
            raise

    def _cut(self, call: Call) -> None:
        if call.cuts == self.cuts:
            self.allowed = max(1.0, self.allowed / 2)
            self.cuts += 1

    def _admit(self, tokens: int) -> Call:
        call = Call(self.clock(), tokens, self.cuts)
        self.in_flight += 1
        if self._limited:
            self._recent.append(call)
            self._used += tokens
        return call

    def _free(self, tokens: int) -> bool:
        return self.in_flight < int(self.allowed) and self._delay(tokens) <= 0

    @property
    def _limited(self) -> bool:
        return self.requests is not None or self.tokens is not None

    def _delay(self, tokens: int) -> float:
        """Seconds until the limits a minute admit a call of so many tokens. One that is larger than the whole limit is
        admitted alone."""
        if not self._limited:
            return 0.0
        now = self.clock()
        while self._recent and self._recent[0].at <= now - MINUTE:
            self._used -= self._recent.popleft().tokens
        at = now - MINUTE
        if self.requests is not None and len(self._recent) >= self.requests:
            at = self._recent[len(self._recent) - self.requests].at
        if self.tokens is not None and self._used + tokens > self.tokens:
            at = max(at, self._tokens_free(self._used + tokens - self.tokens))
        return at + MINUTE - now

    def _tokens_free(self, excess: int) -> float:
        """When the last of those calls was admitted that must be a minute old before `excess` tokens are free."""
        at = self.clock() - MINUTE
        for call in self._recent:
            at, excess = call.at, excess - call.tokens
            if excess <= 0:
                break
        return at

    def _pump(self) -> None:
        """Hand free slots to those who wait, in order; come back when a limit a minute is what holds the first."""
        while self._waiting:
            future, tokens = self._waiting[0]
            if future.done():  # its caller was cancelled
                self._waiting.popleft()
                continue
            if self.in_flight >= int(self.allowed):
                return
            delay = self._delay(tokens)
            if delay > 0:
                self._later(delay)
                return
            self._waiting.popleft()
            future.set_result(self._admit(tokens))

    def _later(self, delay: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(delay, self._pump)
