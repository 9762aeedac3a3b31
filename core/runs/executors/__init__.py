"""Where episodes are played: in this process, or by the workers of a Ray cluster. Whoever plays, one process writes."""

from adidem.core.runs.executors.local import LocalExecutor
from adidem.core.runs.executors.place import EXECUTORS, Executor

__all__ = ["EXECUTORS", "Executor", "LocalExecutor"]
