"""How long a law waits for the code under examination: what does not come to an end is a counterexample too."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import current_thread, main_thread
from time import monotonic
from types import FrameType

SECONDS = 30.0
"""One example may take as long, or whatever a law does between two of them."""

ENDLESS = "it has not come to an end within"
BOUND = "Bound the loop or the pattern that is named, and look again."

_running = False


class TooLong(BaseException):
    """The code took longer than `SECONDS`; the text says where it was. No Exception: code that is tried may catch
    those."""


@contextmanager
def patience(file: str | None) -> Iterator[None]:
    """Within, TooLong is raised where the plugin's code takes too long, also in the midst of a regular expression.
    `file` is the plugin's; with None, whatever takes so long is taken for it. Without effect where there are no alarms
    (Windows), outside the main thread, and inside another."""
    global _running  # noqa: PLW0603  the alarm is the process's own
    if _running or not hasattr(signal, "SIGALRM") or current_thread() is not main_thread():
        yield
        return

    def ring(_: int, frame: FrameType | None) -> None:
        place = _place(frame, file)
        if file is None or place is not None:
            raise TooLong(f"{ENDLESS} {SECONDS:g} s" + (f" ({place})" if place else ""))

    begun = monotonic()
    left, every = signal.setitimer(signal.ITIMER_REAL, 0)
    before = signal.signal(signal.SIGALRM, ring)
    _running = True
    try:
        again()
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        _running = False
        if left:  # somebody else's alarm, such as that of pytest-timeout
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (monotonic() - begun)), every)


def again() -> None:
    """Something came to an end: the time starts anew."""
    if _running:
        signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)


def _place(frame: FrameType | None, file: str | None) -> str | None:
    """Where in the plugin's own file (of a package: in any of its files) the code is; None where it is elsewhere."""
    while frame is not None and file is not None:
        running = frame.f_code.co_filename
        if _same(running, file):
            return f"{running}:{frame.f_lineno}"
        frame = frame.f_back
    return None


@cache
def _same(running: str, file: str) -> bool:
    own, found = Path(file).resolve(), Path(running).resolve()
    return found == own or (own.name == "__init__.py" and own.parent in found.parents)
