"""What an executor is."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from adidem.core.runs.execute import Player

EXECUTORS = ("local", "ray")
"""What `--executor` takes."""


class Executor(Protocol):
    """Plays jobs somewhere."""

    @property
    def at_once(self) -> int:
        """How many episodes it is given at once, at most."""
        ...

    def playing(self) -> AbstractAsyncContextManager[Player]:
        """What plays a job, for as long as the context lasts.

        Raises:
            ExecutorError: nobody is left who could play.
        """
        ...
