"""Has jobs played with bounded concurrency and writes each episode as it ends."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from attrs import define, evolve, field

from adidem.core.domain import Episode, Usage
from adidem.core.errors import StoreError
from adidem.core.outcomes import Outcomes
from adidem.core.runs.plan import Job
from adidem.core.runs.store import RunStore

Player: TypeAlias = Callable[[Job], Awaitable[Episode]]
"""Plays one job, wherever that is done."""

Key: TypeAlias = tuple[str, str, int]

_log = logging.getLogger(__name__)


@define
class Progress:
    """What has happened so far: counts (`playing` is how many are in flight just now), and whether the run was asked to
    stop; `limit` says which limit asked it."""

    owed: int
    scored: int = 0
    failed: int = 0
    playing: int = 0
    stopping: bool = False
    limit: str | None = None
    causes: dict[str, int] = field(factory=dict)

    @property
    def done(self) -> int:
        """Episodes that ended."""
        return self.scored + self.failed

    @property
    def cut_short(self) -> bool:
        """Whether it was stopped before the last episode."""
        return self.stopping and self.done < self.owed


OnEpisode = Callable[[Episode, Outcomes, Progress], None]

IN_FLIGHT = 4
"""Episodes in flight for each call that an endpoint is given at once: enough of them wait for a free slot at any time,
so that one slow conversation leaves no slot empty."""


def episodes_at_once(calls: int) -> int:
    """How many episodes are played at once where so many calls are; one call at a time is one episode at a time."""
    return 1 if calls == 1 else IN_FLIGHT * calls


async def execute(
    jobs: Sequence[Job],
    play: Player,
    store: RunStore,
    concurrency: int,
    on_episode: OnEpisode | None = None,
    limit: Callable[[], str | None] | None = None,
    earlier: Mapping[Key, Mapping[str, Usage]] | None = None,
) -> Progress:
    """Have the jobs played, at most `concurrency` episodes at once; a slow one never holds another. `earlier` is what
    failed tries of these episodes used; it is counted with what the episode now uses, since it was paid for.

    The first interrupt lets what is in flight finish and starts no more, as does `limit` where it gives a reason; the
    second interrupt stops at once. Either way what ended is stored and the rest stays owed.

    Raises:
        StoreError: an episode cannot be written; those in flight are given up, since they could not be kept either.
    """
    progress = Progress(owed=len(jobs))
    waiting = iter(jobs)

    async def work() -> None:
        for job in waiting:
            _keep_to(limit, progress)
            if progress.stopping:
                return
            with _in_hand(progress):
                played = _with_earlier(await play(job), (earlier or {}).get(job.key, {}))
            episode, outcomes = _kept(played, store, progress, workers)
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


@contextmanager
def _in_hand(progress: Progress) -> Iterator[None]:
    progress.playing += 1
    try:
        yield
    finally:
        progress.playing -= 1


def _stop(progress: Progress, why: str, more: str = "") -> None:
    """Start no more, and say so where it will take a while until the end."""
    progress.stopping = True
    if progress.playing:
        _log.warning("adidem: %s; what is in flight is finished first (%d)%s", why, progress.playing, more)


def _with_earlier(episode: Episode, before: Mapping[str, Usage]) -> Episode:
    if not before:
        return episode
    both = {who: before.get(who, Usage()) + episode.usage.get(who, Usage()) for who in {**before, **episode.usage}}
    return evolve(episode, usage=both)


def _keep_to(limit: Callable[[], str | None] | None, progress: Progress) -> None:
    if limit is not None and not progress.stopping:
        progress.limit = limit()
        if progress.limit is not None:
            _stop(progress, progress.limit, "; interrupt to stop at once")


def _kept(
    episode: Episode, store: RunStore, progress: Progress, workers: Sequence[asyncio.Future[None]]
) -> tuple[Episode, Outcomes]:
    try:
        return store.keep(episode)
    except StoreError:
        progress.stopping = True
        for worker in workers:
            if worker is not asyncio.current_task():
                worker.cancel()
        raise


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
            return
        _stop(progress, "interrupted", "; interrupt again to stop at once")

    try:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    except (NotImplementedError, RuntimeError, ValueError):  # not the main thread, or no signals here
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
