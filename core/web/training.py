"""Training runs in the viewer: what a list says of each, and the learning curves of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock

from attrs import frozen

from adidem.core.errors import ConfigError
from adidem.core.report.facts import METRICS, read_updates
from adidem.core.report.plots.draw import draw
from adidem.core.report.section import Section, Table, blocks
from adidem.core.report.training import RECIPE, parts

SHOWN = ("reward", "verified_success")
"""What a list shows of the last update that has it, beside what evaluation found of Verified Success."""

_DRAWING = Lock()
"""matplotlib is set up for the whole process: two pages are not drawn at once."""


@frozen(unsafe_hash=False)
class Trained:
    """One training run in a list: how many updates it has made, and the last figures of some quantities."""

    name: str
    changed: datetime
    updates: int
    figures: Sequence[tuple[str, float]]


@frozen(unsafe_hash=False)
class Curves:
    """The page of one training run. `plot` is an SVG element, empty where matplotlib is not installed (then `problem`
    says so)."""

    lines: Sequence[str]
    tables: Sequence[Table]
    recipe: str
    plot: str = ""
    problem: str = ""


def written_at(folder: Path) -> float:
    """When a training run was last written, in seconds since 1970; 0 where nothing of it is there."""
    times = []
    for name in (METRICS, RECIPE):
        try:
            times.append((folder / name).stat().st_mtime)
        except OSError:
            continue
    return max(times, default=0.0)


def trained(name: str, folder: Path) -> Trained:
    """What a list says of a training run; one that has made no update yet has no figures."""
    updates, _ = read_updates(folder)
    last: dict[str, float] = {}
    for update in updates:
        last.update(update)
    evaluated = sorted(key for key in last if key.startswith("test/") and key.endswith("/verified_success"))
    figures = [(key, last[key]) for key in (*SHOWN, *evaluated) if key in last]
    return Trained(name, datetime.fromtimestamp(written_at(folder)).astimezone(), _made(updates), figures)


def _made(updates: Sequence[Mapping[str, float]]) -> int:
    """How many updates were made: 0 is the policy before the first."""
    return sum(update.get("update") != 0 for update in updates)


def curves(folder: Path) -> Curves:
    """The curves and the recipe of a training run.

    Raises:
        ConfigError: no update is written yet.
    """
    first, *rest = parts(folder)
    tables = [block for table in first.tables for block in blocks(table)]
    recipe = rest[0].text if rest else ""
    try:
        return Curves(first.lines, tables, recipe, plot=_drawn(first))
    except ConfigError as error:
        return Curves(first.lines, tables, recipe, problem=str(error))


def _drawn(section: Section) -> str:
    from markupsafe import Markup  # for our own plot, whose texts are escaped, and nothing else

    if section.chart is None:
        return ""
    with _DRAWING:
        return Markup(draw(section.chart, "curves", "Plot: learning curves; the numbers are in the tables below"))
