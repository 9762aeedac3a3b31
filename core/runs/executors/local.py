"""Plays in this process, in its one event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from attrs import frozen

from adidem.core.domain import Episode
from adidem.core.play import Setup, play
from adidem.core.runs.execute import Player
from adidem.core.runs.plan import Job


@frozen(eq=False)
class LocalExecutor:
    """`setups` maps a barrier condition to what it is played with; `at_once` counts episodes."""

    setups: Mapping[str, Setup]
    at_once: int

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[Player]:
        """See `Executor.playing`."""

        async def player(job: Job) -> Episode:
            return await play(job.task, self.setups[job.barrier], job.repeat)

        yield player
