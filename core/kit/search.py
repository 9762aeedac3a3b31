"""Searches for the smallest example that breaks a law, by Hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import frozen

from adidem.core.errors import ConfigError, to_install
from adidem.core.kit.patience import TooLong, again
from adidem.core.sources import Fault, contained

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
MOST_SMALLER = 600
"""So many examples are tried to find a smaller one than the first."""

Complaint = Callable[[T], "str | None"]
"""What is wrong with an example, or None. What it raises counts as a complaint."""


class Raised(str):
    """What is wrong with an example is that the component's own code raised: its cause on one line."""

    __slots__ = ()


@frozen
class Found:
    """The smallest example that a search came to, and what is wrong with it."""

    example: Any
    what: str
    slow: bool = False  # it took too long, so that no smaller one is looked for


def hypothesis() -> Any:
    """The library. Raises ConfigError that says what to install where it is missing."""
    try:
        import hypothesis
    except ImportError as error:
        raise ConfigError(f"the laws of components need Hypothesis: {to_install('kit')}") from error
    return hypothesis


def smallest(strategy: SearchStrategy[T], wrong: Complaint[T], examples: int, file: str | None = None) -> Found | None:
    """The smallest example of a strategy that `wrong` complains of, within so many examples; None where there is none.

    The search draws from a generator of its own, so that it comes to the same end each time. `file` is the plugin's: a
    complaint that was raised names the last line of it that was running.
    """
    lib = hypothesis()
    seen: list[Found] = []

    tried = 0

    def complains(example: T) -> bool:
        nonlocal tried
        tried += 1 if seen else 0
        if tried > MOST_SMALLER or (seen and seen[-1].slow):
            return False
        found = complaint(wrong, example, file)
        if found is not None:
            seen.append(found)
        return found is not None

    _find(lib, strategy, complains, examples)
    return seen[-1] if seen else None


def first(candidates: Any, wrong: Complaint[Any], file: str | None = None) -> Found | None:
    """The first of some given examples, the smallest first, that `wrong` complains of; None where there is none."""
    for example in candidates:
        found = complaint(wrong, example, file)
        if found is not None:
            return found
    return None


def complaint(wrong: Complaint[T], example: T, file: str | None) -> Found | None:
    """What is wrong with one example, or None."""
    again()
    try:
        said = contained(lambda: wrong(example), file)
    except TooLong as error:
        again()
        return Found(example, str(error), slow=True)
    if isinstance(said, Fault):
        return Found(example, Raised(said.cause))
    return None if said is None else Found(example, said)


def _find(lib: Any, strategy: Any, condition: Callable[[Any], bool], examples: int) -> None:
    from random import Random
    from warnings import catch_warnings, simplefilter

    settings = lib.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(lib.HealthCheck),
        verbosity=lib.Verbosity.quiet,
        phases=(lib.Phase.generate, lib.Phase.shrink),
    )
    try:
        with catch_warnings():
            simplefilter("ignore", lib.errors.HypothesisWarning)
            lib.find(strategy, condition, settings=settings, random=Random(0))
    except (lib.errors.NoSuchExample, lib.errors.Flaky):
        return  # flaky: it was wrong once and right the next time; what was seen is kept
