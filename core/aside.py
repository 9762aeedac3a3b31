"""What other people's code prints while it is loaded goes to standard error, so that ours stays what was asked for."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO


class _Outlet(io.RawIOBase):
    """Passes on to a stream what is written here, at once. To close it closes nothing else."""

    def __init__(self, to: TextIO) -> None:
        super().__init__()
        self._to = to

    def writable(self) -> bool:
        """It is for writing alone."""
        return True

    def write(self, data: Any) -> int:
        """Passes bytes on as text."""
        self._to.write(bytes(data).decode("utf-8", "replace"))
        self._to.flush()
        return len(data)


@contextmanager
def aside() -> Iterator[None]:
    """Within, `sys.stdout` and `sys.stderr` both lead to standard error, each by a stream of its own: code that closes,
    detaches or replaces one does so to that alone. Whoever keeps one may go on writing to it."""
    ours = sys.stderr
    if ours is None:  # a program without a console
        yield
        return
    with redirect_stdout(_stream(ours)), redirect_stderr(_stream(ours)):
        yield


def _stream(to: TextIO) -> TextIO:
    return io.TextIOWrapper(_Outlet(to), "utf-8", "backslashreplace", write_through=True)  # type: ignore[type-var]
