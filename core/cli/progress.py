"""How far a run is, on standard error: a bar on a terminal, and where nobody watches a line every half a minute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from adidem.core.runs.execute import OnEpisode

EVERY = 30.0
"""Seconds between two lines."""


class Count:
    """What has been played so far, and since when."""

    def __init__(self, owed: int) -> None:
        self.owed, self.done, self.verified, self.failed = owed, 0, 0, 0
        self.began, self.lock = perf_counter(), Lock()

    def __call__(self, _episode: Any, outcomes: Any, progress: Any) -> None:
        """One more episode ended."""
        with self.lock:
            self.done += 1
            self.verified += outcomes.verified_success is True
            self.failed = progress.failed

    def line(self) -> str:
        """Such as `12 of 48 episodes in 1:30, 4 verified, 0 failed, about 4:30 left`."""
        with self.lock:
            gone = perf_counter() - self.began
            left = f", about {_clock(gone * (self.owed - self.done) / self.done)} left" if self.done else ""
            return (
                f"{self.done} of {self.owed} episodes in {_clock(gone)}, {self.verified} verified, "
                f"{self.failed} failed{left}"
            )


@contextmanager
def in_lines(owed: int, every: float = EVERY) -> Iterator[OnEpisode]:
    """A line each `every` seconds, whether an episode ended meanwhile or not; a run that is shorter says nothing."""
    count, over = Count(owed), Event()

    def tell() -> None:
        while not over.wait(every):
            typer.echo(f"adidem: {count.line()}", err=True)

    thread = Thread(target=tell, name="progress", daemon=True)
    thread.start()
    try:
        yield count
    finally:
        over.set()
        thread.join()


def bar_with(*more: Any) -> Any:
    """A bar with what is done of how much, more columns, the time gone and the time left; gone when it is over."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    time = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    return Progress(BarColumn(), MofNCompleteColumn(), *more, *time, console=Console(stderr=True), transient=True)


@contextmanager
def in_a_bar(owed: int) -> Iterator[OnEpisode]:
    """A bar that is gone when the run is over."""
    from rich.progress import TextColumn

    count = Count(owed)
    with bar_with(TextColumn("{task.fields[rate]}"), TextColumn("{task.fields[counts]}")) as bar:
        task = bar.add_task("play", total=owed, counts="", rate="")

        def on_episode(episode: Any, outcomes: Any, progress: Any) -> None:
            count(episode, outcomes, progress)
            elapsed = bar.tasks[0].elapsed or 0.0
            rate = f"{progress.done / elapsed:.1f}/s" if elapsed > 0 else ""
            bar.update(task, advance=1, counts=f"{count.verified} verified, {count.failed} failed", rate=rate)

        yield on_episode


def _clock(seconds: float) -> str:
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
