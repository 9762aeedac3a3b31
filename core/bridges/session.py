"""One episode, played with somebody outside in the tested seat: it asks, they answer, and at the end it is scored."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from attrs import evolve

from adidem.core.agents.chat import ChatAgent
from adidem.core.domain import Episode, Task
from adidem.core.errors import ModelFailure
from adidem.core.llm import Gateway
from adidem.core.llm.transport import Message, Reply, Request
from adidem.core.play import Setup as PlaySetup
from adidem.core.play import play

SPEAKER = "hf:outside"
"""What the tested agent is called: a model of a kind that is told of tools in words."""


class _Desk:
    """A transport (`adidem.core.llm.transport.Transport`) that hands each request out and waits for the reply."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[Message, ...] | None] = asyncio.Queue()
        self.replies: asyncio.Queue[str] = asyncio.Queue()

    def check(self, model: str, *, api_base: str | None, api_key: str | None) -> None:
        """Nothing can be wrong."""

    def price(self, model: str) -> tuple[float, float] | None:
        """Nobody knows what the other side pays."""
        return None

    async def send(self, request: Request, seconds: float) -> Reply:
        """Ask outside. How long they may take is theirs to say."""
        self.asked.put_nowait(request.messages)
        return Reply(await self.replies.get())

    async def close(self) -> None:
        """Nothing is held."""


class Session:
    """Made inside an event loop, used there, and closed at the end (`async with`).

    `next(answer)` hands in what was answered and gives the messages that are asked next, which only grow at their end:
    for an utterance, then for the record; None once the episode is over and `episode` is there.
    """

    def __init__(self, task: Task, setup: PlaySetup, repeat: int = 0) -> None:
        self._desk = _Desk()
        agent = ChatAgent(SPEAKER, Gateway(transport=self._desk, attempts=1))
        self._episode: Episode | None = None
        self._messages: tuple[Message, ...] = ()
        self._playing = asyncio.ensure_future(self._played(task, evolve(setup, agent=agent), repeat))

    @property
    def episode(self) -> Episode:
        """The episode that was scored.

        Raises:
            ModelFailure: it failed, for the cause that is named; or it is not over.
        """
        if self._episode is None:
            raise ModelFailure("input_ended", "the episode is not over: it still waits for an answer")
        cause = self._episode.cause
        if cause is not None:
            raise ModelFailure(cause.kind, f"{self._episode.task}: {cause.message} ({cause.where})", cause.attempts)
        return self._episode

    async def next(self, answer: str | None = None) -> list[dict[str, Any]] | None:
        """What the tested seat is asked next, after its answer to what was asked before; None: the episode is over."""
        if answer is not None:
            self._desk.replies.put_nowait(answer)
        messages = await self._desk.asked.get()
        if messages is None:
            self._desk.asked.put_nowait(None)  # over is over, however often it is asked
            return None
        self._messages = messages
        return [dict(message) for message in messages]

    @property
    def news(self) -> list[dict[str, Any]]:
        """Of the messages that were asked last, those since the tested seat's own last words."""
        return since_own(self._messages)

    async def close(self) -> None:
        """Give the episode up where it is not over."""
        self._playing.cancel()
        await asyncio.gather(self._playing, return_exceptions=True)

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def _played(self, task: Task, setup: PlaySetup, repeat: int) -> None:
        try:
            self._episode = await play(task, setup, repeat)
        finally:
            self._desk.asked.put_nowait(None)


def since_own(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages after the last one of the assistant."""
    own = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    return [dict(message) for message in messages[own[-1] + 1 if own else 0 :]]
