"""Errors that name the value, the place and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class AdidemError(Exception):
    """Base of every error that adidem raises on purpose; its text is one line meant for the user."""


class ConfigError(AdidemError):
    """Usage or configuration is wrong; the command line exits with 2."""


def to_install(extra: str) -> str:
    """The command that brings an extra of adidem, for messages: adidem is installed from a clone, and its constraints
    name the versions that were tried together."""
    first = "; without a GPU install a CPU build of torch before it (docs/training.md)" if extra == "train" else ""
    return f"pip install -c constraints.txt -e '.[{extra}]' in the clone of adidem{first}"


class MissingKey(ConfigError):
    """A model needs a key that is not in the environment; the variable is named."""


SHOWN = 12
"""As many known names are listed where none is near."""


class UnknownName(ConfigError):
    """A name that nothing answers to; the nearest known names are suggested."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches

        self.kind, self.name, self.known = kind, name, sorted(known)
        self.near = get_close_matches(name, self.known, n=3, cutoff=0.5)
        if self.near:
            hint = f"did you mean {' or '.join(repr(n) for n in self.near)}?"
        elif self.known:
            more = f" and {len(self.known) - SHOWN} more" if len(self.known) > SHOWN else ""
            hint = f"known: {', '.join(self.known[:SHOWN])}{more}"
        else:
            hint = f"no {kind} is registered"
        super().__init__(f"unknown {kind} {name!r}: {hint}")


class StoreError(AdidemError):
    """A run's file cannot be written or read any more (a full disk, a lock, a file made read-only). What was written
    before is whole."""


class ExecutorError(AdidemError):
    """Nobody is left who could play: a cluster went away, or never came. What was scored before is kept."""


class BankError(ConfigError):
    """A bank file cannot be used; the message names file and line."""


class PlanError(AdidemError):
    """A family broke its contract (no pair could be generated, a plan space is empty)."""


class TrainingError(AdidemError):
    """Training cannot go on: credit that fits no turn, numbers that are none, a policy that diverged. What was
    trained before is kept in the last checkpoint."""


class ModelFailure(AdidemError):
    """No usable answer came from a model. `kind` is the typed cause, `attempts` how often it was tried.

    Kinds: `connection`, `timeout`, `rate_limit`, `overload`, `server_error`, `authentication`, `quota` (the account
    is used up), `bad_request`, `context_overflow`, `content_filter`, `empty`, `malformed`, `length` (cut off before it
    was complete), `input_ended` (a person at the terminal went away).
    """

    def __init__(self, kind: str, message: str, attempts: int = 1) -> None:
        self.kind, self.attempts = kind, attempts
        self.data: Any = None
        """JSON that did come but does not meet the schema asked for, where there is any (kind `malformed`)."""
        super().__init__(message)
