"""What a person sees while a policy learns: one line an update, and what is being done now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, Protocol

COLUMNS: Sequence[tuple[str, str]] = (
    ("reward", "reward"),
    ("feasibility", "F"),
    ("integrity", "I"),
    ("verified_success", "VS"),
    ("entropy", "H"),
    ("kl", "KL"),
    ("clip_fraction", "clip"),
    ("explained_variance", "EV"),
    ("credit/within", "within"),
    ("credit/paired", "paired"),
    ("credit/gate", "gate"),
    ("credit/paired_of_within", "p/w"),
    ("credit/corr_phi_return", "corr(Φ,R)"),
    ("credit/variance_left", "Var(R-Φ)/Var(R)"),
    ("credit/shared_steps", "shared"),
    ("credit/even_groups", "even"),
    ("credit/groups_with_success", "solved"),
    ("credit/kept", "kept"),
    ("test/T=1/verified_success", "test VS"),
    ("dropped", "dropped"),
    ("seconds", "s"),
)
"""Figures that are shown, where an update has them, under a short name; a trainer's own diagnostics follow them."""


class Display(Protocol):
    """Shows a run as it goes."""

    def doing(self, what: str) -> None:
        """What is being done now."""
        ...

    def done(self, update: int, figures: Mapping[str, Any]) -> None:
        """An update is done."""
        ...


class Silent:
    """Shows nothing."""

    def doing(self, what: str) -> None:
        """Nothing."""

    def done(self, update: int, figures: Mapping[str, Any]) -> None:
        """Nothing."""


NOTHING = "nothing_learned"
"""The figure of an update without a step: why."""


def line(figures: Mapping[str, Any]) -> str:
    """The figures of an update on one line; what is undefined is left out."""
    known = {name for name, _ in COLUMNS}
    own = [(name, name.removeprefix("credit/")) for name in figures if name.startswith("credit/") and name not in known]
    shown = []
    for name, short in (*COLUMNS, *own):
        number = figures.get(name)
        if isinstance(number, int | float) and isfinite(number):
            shown.append(f"{short} {number:.0f}" if name == "dropped" else f"{short} {number:.3g}")
    why = figures.get(NOTHING)
    return "  ".join([*shown, f"nothing was learned: {why}"] if why else shown)


@contextmanager
def display(updates: int, done: int, *, quiet: bool) -> Iterator[Display]:
    """A bar on stderr with a line above it for each update."""
    if quiet:
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar, bar.add_task("starting", total=updates, completed=done))


class _Bar:
    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task = bar, task

    def doing(self, what: str) -> None:
        self._bar.update(self._task, description=what)

    def done(self, update: int, figures: Mapping[str, Any]) -> None:
        self._bar.console.print(f"{update:>4}  {line(figures)}", markup=False)
        self._bar.update(self._task, completed=update)
