"""How many calls one endpoint is given at once, and how many a minute: adaptive slots that belong to calls.

Slots are handed out first come, first served. The number allowed rises by one a round of answers (additive increase) up
to the ceiling, and is halved where the endpoint says that it is too much (multiplicative decrease), once for all the
calls that were in flight then, as TCP does with its window.

A refusal for asking too often (`rate_limit`) holds for every call to the endpoint: none is sent until it may be asked
again, so that a limit a minute which is used up costs a few refusals, and not one or more of each call that waits.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from time import monotonic

from attrs import define, field

from adidem.core.llm.failures import TOO_MUCH, CallFailed

MINUTE = 60.0

FIRST_HOLD, LONGEST_HOLD = 0.5, 30.0
"""Seconds for which an endpoint is let alone that refused two rounds of calls in a row and does not say for how long
(doubled for each further round), and at most."""


@define(eq=False)
class Call:
    """A call in flight: when it was admitted, the tokens it counts for, and how often slots had been cut by then."""

    at: float
    tokens: int
    cuts: int


@define(eq=False)
class Slots:
    """The slots of one endpoint.

    `ceiling` is the most calls at once; `requests` and `tokens` the most within any 60 seconds (None: no such limit);
    `patience` the seconds for which an endpoint may go on refusing before it is no longer waited for.
    `allowed` is the number of calls at once as adapted so far, at least 1.
    """

    ceiling: int
    requests: int | None = None
    tokens: int | None = None
    clock: Callable[[], float] = monotonic
    patience: float = 600.0
    allowed: float = field(init=False)
    in_flight: int = field(default=0, init=False)
    cuts: int = field(default=0, init=False)
    _jitter: Random = field(factory=Random, init=False)
    _refusals: int = field(default=0, init=False)
    _refusing_since: float | None = field(default=None, init=False)
    _refused_at: float = field(default=0.0, init=False)
    _held_until: float = field(default=0.0, init=False)
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
            if failure.kind == "rate_limit":
                self._hold(failure.retry_after)
            raise
        else:
            self.allowed = min(float(self.ceiling), self.allowed + 1.0 / self.allowed)
            self._refusals, self._refusing_since = 0, None
        finally:
            self.in_flight -= 1
            self._pump()

    def used(self, call: Call, tokens: int) -> None:
        """Count what a call really used, in place of the estimate."""
        if self._limited:
            self._used += tokens - call.tokens
            call.tokens = tokens

    @property
    def held(self) -> float:
        """Seconds for which no call is sent, since the endpoint refused; 0 where calls are."""
        return max(0.0, self._held_until - self.clock())

    @property
    def waited_for(self) -> bool:
        """Whether it is worth being asked again: it has not refused everything for as long as `patience`."""
        return self._refusing_since is None or self.clock() - self._refusing_since < self.patience

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
            self._refusals += 1

    def _hold(self, asked: float | None) -> None:
        """Send nothing for the seconds that the endpoint asks for. Where it does not say, one refused round may be of
        too many calls at once, which fewer cure; from the second in a row on it is let alone."""
        now = self.clock()
        if self._refusing_since is None or now - self._refused_at > self.patience:  # it was not asked in between
            self._refusing_since = now
        self._refused_at = now
        wait = asked
        if wait is None:
            most = min(LONGEST_HOLD, FIRST_HOLD * 2.0 ** min(self._refusals - 2, 10))
            wait = 0.0 if self._refusals < 2 else self._jitter.uniform(most / 2, most)
        if now + wait - self._refusing_since < self.patience:
            self._held_until = max(self._held_until, now + wait)

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
        """Seconds until a call of so many tokens may be sent. One that is larger than the whole limit is admitted
        alone."""
        if not self._limited:
            return self.held if self._held_until else 0.0
        now = self.clock()
        while self._recent and self._recent[0].at <= now - MINUTE:
            self._used -= self._recent.popleft().tokens
        at = now - MINUTE
        if self.requests is not None and len(self._recent) >= self.requests:
            at = self._recent[len(self._recent) - self.requests].at
        if self.tokens is not None and self._used + tokens > self.tokens:
            at = max(at, self._tokens_free(self._used + tokens - self.tokens))
        return max(at + MINUTE - now, self.held)

    def _tokens_free(self, excess: int) -> float:
        """When the last of those calls was admitted that must be a minute old before `excess` tokens are free."""
        at = self.clock() - MINUTE
        for call in self._recent:
            at, excess = call.at, excess - call.tokens
            if excess <= 0:
                break
        return at

    def _pump(self) -> None:
        """Hand free slots to those who wait, in order; come back when the first may be sent."""
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
