"""How plots look. Colours are names that the page's style sheet gives a value: one for light, dark and print each.

Series differ by marker, line and hatching too, so that no plot needs its colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

INK, SOFT, GRID, PAPER = "#010101", "#020202", "#030303", "#040404"
SERIES = ("#0a0001", "#0a0002", "#0a0003", "#0a0004", "#0a0005", "#0a0006", "#0a0007")
NAMED = {
    INK: "ink",
    SOFT: "soft",
    GRID: "grid",
    PAPER: "paper",
    **{colour: f"s{i}" for i, colour in enumerate(SERIES, 1)},
}
"""The colours that plots are drawn in, which nobody sees, and the names of those that stand for them in the page."""

MARKERS = "osD^vPX"
HATCHES = ("", "//", "xx", "--", "\\\\", "||", "++")
WIDTH = 7.2
ROW = 0.3
"""Inches: of every plot across, and of one row of a plot."""

LABEL = 34
"""The longest label, in characters."""

KEYS = 3
"""Names of a key beside each other."""


@contextmanager
def styled() -> Iterator[None]:
    """matplotlib set up for such plots: text stays text, `$` is a dollar sign, and the same plot is the same file."""
    from matplotlib import rc_context

    with rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "adidem",
            "text.parse_math": False,
            "text.usetex": False,
            "axes.formatter.use_mathtext": False,
            "axes.unicode_minus": True,
            "font.size": 9,
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": SOFT,
            "axes.facecolor": "none",
            "figure.facecolor": "none",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.grid": True,
            "grid.color": GRID,
            "grid.linewidth": 0.6,
            "xtick.color": SOFT,
            "ytick.color": SOFT,
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
            "ytick.left": False,
            "hatch.color": PAPER,
            "hatch.linewidth": 1.0,
            "legend.frameon": False,
            "legend.fontsize": 8.5,
        }
    ):
        yield


def canvas(
    inside: float, left: float, keyed: int = 0, columns: int = 1, rows: int = 1, gap: float = 0.0
) -> tuple[Any, Any]:
    """A figure of the one width, and its axes: `inside` inches high in all, with `left` inches for labels, room for a
    key of so many names, and `gap` inches between rows. A layout engine would draw everything twice to find this."""
    from matplotlib.figure import Figure

    top = 0.15 + (0.22 * -(-keyed // KEYS) if keyed > 1 else 0.0) + (0.2 if rows * columns > 1 else 0.0)
    bottom = 0.5
    height = top + inside + bottom
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.subplots_adjust(
        left=left / WIDTH,
        right=1 - 0.15 / WIDTH,
        top=1 - top / height,
        bottom=bottom / height,
        hspace=gap / (max(inside - gap * (rows - 1), 0.1) / rows),
        wspace=0.34,
    )
    return figure, axes if rows * columns > 1 else axes[0, 0]


def room(labels: Iterable[str]) -> float:
    """Inches for labels on the left."""
    return 0.2 + 0.076 * max((len(clipped(label)) for label in labels), default=0)


def clipped(label: str) -> str:
    """A label that leaves room for the plot; its whole text is in the table."""
    return label if len(label) <= LABEL else label[: LABEL - 1] + "…"


def labelled(axes: Any, labels: Sequence[str], places: Sequence[float]) -> None:
    """Rows from the top down with their labels, and no grid along them."""
    axes.set_yticks(places, [clipped(label) for label in labels])
    axes.set_ylim(max(places, default=0) + 0.7, min(places, default=0) - 0.7)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def legend(figure: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """The key, above the plot, where there is more than one series."""
    if len(labels) > 1:
        names = [clipped(label) for label in labels]
        figure.legend(handles, names, loc="upper left", ncols=min(KEYS, len(names)), borderaxespad=0.1)


def noted(figure: Any, note: str) -> None:
    """A short text in the lower left corner."""
    figure.text(0.1 / WIDTH, 0.04 / figure.get_figheight(), note, fontsize=8, color=SOFT, ha="left", va="bottom")
