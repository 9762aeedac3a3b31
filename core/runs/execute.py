"""Plays jobs with bounded concurrency and writes each episode as it ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import define, field

from adidem.core.domain import Episode
from adidem.core.outcomes import Outcomes
from adidem.core.play import Setup, play
from adidem.core.runs.plan import Job
from adidem.core.runs.store import RunStore


@define
class Progress:
    """What has happened so far: counts, and whether the run was asked to stop."""

    owed: int
    scored: int = 0
    failed: int = 0
    stopping: bool = False
    causes: dict[str, int] = field(factory=dict)

    @property
    def done(self) -> int:
        """Episodes that ended."""
        return self.scored + self.failed


OnEpisode = Callable[[Episode, Outcomes, Progress], None]


async def execute(
    jobs: Sequence[Job],
    setups: dict[str, Setup],
    store: RunStore,
    concurrency: int,
    on_episode: OnEpisode | None = None,
) -> Progress:
    """Play the jobs, at most `concurrency` at once; a slow episode never holds another. `setups` maps a barrier
    condition to what it is played with.

    The first interrupt lets what is in flight finish and starts no more; the second stops at once. Either way what
    ended is stored and the rest stays owed.
    """
    progress = Progress(owed=len(jobs))
    waiting = iter(jobs)

    async def work() -> None:
        for job in waiting:
            if progress.stopping:
                return
            episode = await play(job.task, setups[job.barrier], job.repeat)
            outcomes = store.add(episode)
            _count(progress, episode)
            if on_episode is not None:
                on_episode(episode, outcomes, progress)
            await asyncio.sleep(0)

    workers = [asyncio.ensure_future(work()) for _ in range(max(1, min(concurrency, len(jobs))))]
    with _interrupts(progress, workers):
        results = await asyncio.gather(*workers, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not (progress.stopping and isinstance(result, asyncio.CancelledError)):
            raise result
    return progress


def _count(progress: Progress, episode: Episode) -> None:
    if episode.status == "scored":
        progress.scored += 1
        return
    progress.failed += 1
    kind = episode.cause.kind if episode.cause is not None else "unknown"
    progress.causes[kind] = progress.causes.get(kind, 0) + 1


@contextmanager
def _interrupts(progress: Progress, workers: Sequence[asyncio.Future[None]]) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if progress.stopping:
            for worker in workers:
                worker.cancel()
        progress.stopping = True

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except (NotImplementedError, RuntimeError, ValueError):  # not the main thread, or no signals here
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
