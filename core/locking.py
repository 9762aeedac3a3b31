"""Who writes in a folder: one process at a time. A lock ends with the process that holds it, however it ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from adidem.core.errors import ConfigError


def locked(folder: Path, name: str, *, waiting: Callable[[], object] | None = None) -> int:
    """Make a folder where there is none and lock it by its file of that name; closing what is given back unlocks it.
    With `waiting`, which is called once, it is waited for while another process has it.

    Raises:
        ConfigError: it cannot be written, or (without `waiting`) another process is writing it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {error.strerror or error}") from error
    try:
        if not _taken(handle):
            if waiting is None:
                raise ConfigError(f"{folder} is being written by another process")
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        os.close(handle)
        raise ConfigError(f"{folder / name} cannot be locked: {error.strerror or error}") from error
    except BaseException:
        os.close(handle)
        raise
    return handle


@contextmanager
def held(folder: Path, name: str, *, waiting: Callable[[], object] | None = None) -> Iterator[None]:
    """The same while something is done. Raises ConfigError as `locked` does."""
    handle = locked(folder, name, waiting=waiting)
    try:
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
