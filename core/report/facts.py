"""All that the parts of a run's report are made from: read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import orjson
from attrs import field, frozen

from adidem.core.errors import ConfigError
from adidem.core.report.barriers import NONE
from adidem.core.report.grouping import Row
from adidem.core.report.summary import Summary, summarize
from adidem.core.report.text import cell
from adidem.core.runs.store import RunStore
from adidem.core.training.progress import NOTHING

METRICS = "metrics.jsonl"
APART = 20
"""As many episodes are named on which two judges of Integrity differ."""


@frozen(unsafe_hash=False)
class Facts:
    """A run's summary, its rows and its counted ratings (those of failed episodes are none), how far judges of the same
    dimension agree, where those of Integrity differ (`apart`), and the updates of a training run."""

    name: str
    folder: Path
    summary: Summary
    rows: Sequence[Row]
    ratings: Sequence[Row]
    config: Mapping[str, Any]
    alike: Sequence[Mapping[str, Any]] = ()
    apart: Sequence[Mapping[str, Any]] = ()
    updates: Sequence[Mapping[str, float]] = ()
    notes: Sequence[str] = field(factory=tuple)

    @property
    def scored(self) -> list[Row]:
        """The rows of scored episodes."""
        return [row for row in self.rows if row["status"] == "scored"]

    @property
    def plain(self) -> list[Row]:
        """The scored rows without a barrier; all scored ones where every condition has one."""
        scored = self.scored
        return [row for row in scored if row["barrier"] == NONE] or scored

    @property
    def plain_ratings(self) -> Sequence[Row]:
        """The counted ratings without a barrier; all of them where every condition has one."""
        return [row for row in self.ratings if row["barrier"] == NONE] or self.ratings


def begun(store: RunStore) -> None:
    """Raises ConfigError where a folder holds the beginnings of a run that never began: nothing in it to report."""
    if store.get("config") is None and next(iter(store.rows()), None) is None:
        raise ConfigError(
            f"{store.folder} holds no run: it was made, and nothing was ever played into it; delete it, or play into it"
        )


def read_facts(store: RunStore, name: str | None = None) -> Facts:
    """Everything about a stored run, finished or not."""
    begun(store)
    rows, ratings = list(store.rows()), store.rating_counts()
    updates, notes = read_updates(store.folder)
    return Facts(
        name=cell(name or store.folder.name or str(store.folder)),
        folder=store.folder,
        summary=summarize(store, rows, ratings),
        rows=rows,
        ratings=ratings,
        config=store.get("config", {}),
        alike=_alike(ratings, store),
        apart=_apart(ratings, store),
        updates=updates,
        notes=notes,
    )


def _alike(ratings: Sequence[Row], store: RunStore) -> list[dict[str, Any]]:
    """For every dimension and every two judges: how often both scored it, and how often they differ."""
    labels: dict[str, set[str]] = {}
    for row in ratings:
        if row["score"] is not None:
            labels.setdefault(row["dimension"], set()).add(row["judge"])
    found = []
    for dimension, judges in sorted(labels.items()):
        for one, two in combinations(sorted(judges), 2):
            both, differ = store.rated_alike(one, two, dimension)
            found.append({"dimension": dimension, "judges": [one, two], "episodes": both, "differ": differ})
    return found


def _apart(ratings: Sequence[Row], store: RunStore) -> list[dict[str, Any]]:
    """Where each two judges of Integrity differ, the first `APART` episodes of a pair."""
    judges = sorted({row["judge"] for row in ratings if row["dimension"] == "integrity" and row["score"] is not None})
    return [
        {"judges": [one, two], **row}
        for one, two in combinations(judges, 2)
        for row in store.rated_apart(one, two, "integrity", APART)
    ]


def read_updates(folder: Path) -> tuple[list[dict[str, float]], list[str]]:
    """The updates of a training run, each the numbers of one line of `metrics.jsonl`; none where there is no such file.
    A torn last line, which a run that is still writing leaves, is skipped; other lines that cannot be read, or hold
    no object, are counted in the notes."""
    path = folder / METRICS
    if not path.is_file():
        return [], []
    lines = path.read_bytes().splitlines()
    found, broken, idle = [], 0, list[str]()
    for number, line in enumerate(lines):
        try:
            data = orjson.loads(line)
        except orjson.JSONDecodeError:
            broken += number < len(lines) - 1
            continue
        if isinstance(data, dict):
            found.append(_numbers(data))
            idle += [str(data[NOTHING])] if data.get(NOTHING) else []
        else:
            broken += 1
    notes = [f"{broken} lines of {METRICS} could not be read"] if broken else []
    return found, [*notes, f"updates in which nothing was learned: {len(idle)} ({cell(idle[-1])})"] if idle else notes


def _numbers(data: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of an update; those of a nested object under dotted names."""
    found: dict[str, float] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            found |= {f"{key}.{inner}": number for inner, number in _numbers(value).items()}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[key] = float(value)
    return found
