"""What a person sees while a policy learns: on a terminal a bar and a table that grows, else one line an update."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

FIGURES: Sequence[tuple[str, str, str]] = (
    ("reward", "reward", "reward"),
    ("feasibility", "F", "Feasibility"),
    ("integrity", "I", "Integrity"),
    ("verified_success", "VS", "Verified Success"),
    ("entropy", "H", "entropy"),
    ("kl", "KL", "KL"),
    ("clip_fraction", "clip", "clip fraction"),
    ("explained_variance", "EV", "explained variance"),
    ("credit/within", "within", "within credit"),
    ("credit/paired", "paired", "paired credit"),
    ("credit/gate", "gate", "gate open"),
    ("credit/paired_of_within", "p/w", "paired / within"),
    ("credit/corr_phi_return", "corr(Φ,R)", "corr(Φ, R)"),
    ("credit/variance_left", "Var(R-Φ)/Var(R)", "Var(R-Φ) / Var(R)"),
    ("credit/shared_steps", "shared", "shared steps"),
    ("credit/even_groups", "even", "even groups"),
    ("credit/groups_with_success", "solved", "solved groups"),
    ("credit/kept", "kept", "kept"),
    ("annotators_agree", "annotators", "annotators agree"),
    ("annotator_failed", "unannotated", "not annotated"),
)
"""Figures that are shown, where an update has them: name, short title, title. A trainer's own diagnostics follow them,
then what the evaluation found."""

LAST: Sequence[tuple[str, str, str]] = (("dropped", "dropped", "dropped"), ("seconds", "s", "seconds"))
OUTCOMES = ("reward", "feasibility", "integrity", "verified_success")

USUAL: Mapping[str, float] = {"dropped": 0, "credit/unpaired": 0, "credit/readable": 1, "annotator_failed": 0}
"""Figures that say nothing on a line where they are so."""

TRIED = "/verified_success"
"""The figure of each evaluation (`test/T=1/verified_success`) that is shown."""

NOTHING = "nothing_learned"
"""The figure of an update in which nothing was learned: why."""

UNSCORED = "unscored"
"""The figure of an update in which conversations were unscored: why."""

UNANNOTATED = "unannotated"
"""The figure of an update in which disclosures were not annotated: why."""

UNTRIED = "test/unscored"
"""The figure of an evaluation in which conversations were unscored: why."""

LABEL, WIDE = 20, 10
"""Columns of a terminal that the titles of figures, and each update, are given."""


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


def line(figures: Mapping[str, Any]) -> str:
    """The figures of an update on one line; what is undefined, or as it always is, is left out."""
    shown = [
        f"{short} {written(name, figures[name])}"
        for name, short, _ in titled([figures])
        if _known(figures.get(name)) and figures[name] != USUAL.get(name)
    ]
    return "  ".join([*shown, *_why(figures)])


def outcomes(figures: Mapping[str, Any]) -> str:
    """What came of the conversations of an update, and of its evaluation, in words."""
    found = [(name, title) for name, _, title in titled([figures]) if name in OUTCOMES or name.startswith("test/")]
    shown = [f"{title} {written(name, figures[name])}" for name, title in found]
    return ", ".join([*shown, *_why({name: value for name, value in figures.items() if name != NOTHING})])


def titled(updates: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """The figures that any of the updates has, in the order in which they are shown, with both titles."""
    names = dict.fromkeys(name for figures in updates for name in figures if _known(figures[name]))
    known = {name for name, _, _ in FIGURES}
    own = [n for n in names if n.startswith("credit/") and n not in known]
    tried = [n for n in names if n.startswith("test/") and n.endswith(TRIED)]
    return [
        *(each for each in FIGURES if each[0] in names),
        *((name, name.removeprefix("credit/"), name.removeprefix("credit/").replace("_", " ")) for name in own),
        *((n, f"test VS {_kind(n)}", f"test VS, {_kind(n)}") for n in tried),
        *(each for each in LAST if each[0] in names),
    ]


def written(name: str, number: float) -> str:
    """A figure in few letters."""
    return f"{number:.0f}" if name == "dropped" else f"{number:.3g}"


def _kind(name: str) -> str:
    return name.removeprefix("test/").removesuffix(TRIED)


def _known(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and isfinite(number)


def _why(figures: Mapping[str, Any]) -> list[str]:
    """What went wrong in an update, in words."""
    named = {
        UNSCORED: "unscored",
        UNANNOTATED: "not annotated",
        UNTRIED: "unscored in evaluation",
        NOTHING: "nothing was learned",
    }
    return [f"{title}: {figures[name]}" for name, title in named.items() if isinstance(figures.get(name), str)]


@contextmanager
def display(
    updates: int,
    done: int,
    *,
    quiet: bool,
    earlier: Sequence[Mapping[str, Any]] = (),
    console: Console | None = None,
) -> Iterator[Display]:
    """Shows a run on stderr. `earlier` are the figures of updates that were made before."""
    if quiet:
        yield Silent()
        return
    from rich.console import Console

    where = console or Console(stderr=True, highlight=False)
    if not where.is_terminal or where.is_dumb_terminal:
        yield _Lines(where, updates)
        return
    from rich.live import Live

    screen = _Screen(where, updates, done, earlier)
    with Live(screen, console=where, refresh_per_second=4) as live:
        screen.live = live
        yield screen


class _Lines:
    """One line an update."""

    def __init__(self, console: Console, updates: int) -> None:
        self._console, self._updates = console, updates

    def doing(self, what: str) -> None:
        """Nothing: what is done in between would be many lines."""

    def done(self, update: int, figures: Mapping[str, Any]) -> None:
        """See `Display`."""
        text = f"{update:>{len(str(self._updates))}}/{self._updates}  {line(figures)}"
        self._console.print(text, markup=False, soft_wrap=True)


class _Screen:
    """A bar, and a table with a row a figure: of the first update and of the last ones, as many as there is room for.
    What went wrong in an update stands above."""

    def __init__(self, console: Console, updates: int, done: int, earlier: Sequence[Mapping[str, Any]]) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self.live: Any = None
        self._console = console
        self._bar = Progress(*columns, console=console, expand=True)
        self._task = self._bar.add_task("starting", total=updates, completed=done)
        self._made = [(int(figures["update"]), figures) for figures in earlier]

    def doing(self, what: str) -> None:
        """See `Display`."""
        self._bar.update(self._task, description=what)

    def done(self, update: int, figures: Mapping[str, Any]) -> None:
        """See `Display`."""
        self._made.append((update, figures))
        self._bar.update(self._task, completed=update, description="done")
        for why in _why(figures):
            self._console.print(f"update {update}: {why}", markup=False)

    def __rich__(self) -> RenderableType:
        from rich.console import Group

        return Group(table(self._made, self._console.width), self._bar) if self._made else self._bar


def table(made: Sequence[tuple[int, Mapping[str, Any]]], width: int) -> RenderableType:
    """The figures of updates in so many columns of a terminal: the first, and the last ones."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    room = max(2, (width - LABEL) // WIDE)
    shown = made if len(made) <= room else [made[0], *made[len(made) - room + 1 :]]
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    drawn.add_column("after update", max_width=LABEL, overflow="fold")
    for update, _ in shown:
        drawn.add_column(str(update), justify="right", no_wrap=True)
    for name, _, title in titled([figures for _, figures in shown]):
        cells = [written(name, f[name]) if _known(f.get(name)) else "" for _, f in shown]
        drawn.add_row(Text(title), *cells)
    return drawn
