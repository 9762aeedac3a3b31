"""What a list says of each run: who played what, how far it has got, what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any

from attrs import frozen

from adidem.core.runs.store import FILE, RunStore
from adidem.core.web.index import Extent, Index
from adidem.core.web.query import facets

SMALL = 2_000
"""Episodes up to which a run is counted afresh for a list."""
LATELY = 60.0
"""Seconds since its last write for which an unfinished run counts as being played."""


@frozen(unsafe_hash=False)
class Head:
    """One run in a list. `planned` is how many episodes it is to have in all, `success` how many of the `decided` ones
    reach Verified Success, `state` is `playing` (some are not played yet, and it was written lately), `unfinished`
    (some are owed: not played, or failed), `done` or `damaged` (then `problem` says why)."""

    name: str
    changed: datetime
    state: str
    suite: str = ""
    agent: str = ""
    partner: str = ""
    evidence: str = ""
    planned: int = 0
    scored: int = 0
    failed: int = 0
    success: int = 0
    decided: int = 0
    extent: Extent = Extent(0, 0, "")
    config: Mapping[str, Any] = {}
    problem: str = ""

    @property
    def share(self) -> float | None:
        """Verified Success as a share of the episodes in which it is decided."""
        return self.success / self.decided if self.decided else None


def head(name: str, index: Index, extent: Extent) -> Head:
    """The head of a run whose index was just refreshed."""
    with RunStore(index.folder) as store, index.reading() as db:
        return _head(name, store, extent, dict(facets(db).get("success", ())))


def glance(name: str, index: Index, seconds: float) -> Head:
    """The head of a run in a list. Of a small run no index is made for it; that of a large one is filled for so many
    seconds at most, and the counts are of what is in it."""
    with RunStore(index.folder) as store:
        total, last = store.extent()
        if total <= SMALL:
            return _head(name, store, Extent.of(total, total, last), store.success_counts())
    return head(name, index, index.refresh(seconds))


def _head(name: str, store: RunStore, extent: Extent, counts: Mapping[str, int]) -> Head:
    config: Mapping[str, Any] = store.get("config", {})
    planned = store.get("planned", extent.total)
    failed = counts.get("failed", 0)
    changed = changed_at(store.folder)
    unplayed, owed = planned > extent.total, planned > extent.total - failed  # a failed episode is owed, as in a report
    state = "done" if not owed else "playing" if unplayed and time() - changed < LATELY else "unfinished"
    return Head(
        name,
        datetime.fromtimestamp(changed).astimezone(),
        state,
        str(config.get("suite", "")),
        str(config.get("agent", "")),
        str(config.get("partner", "")),
        store.evidence(),
        planned,
        sum(counts.values()) - failed,
        failed,
        counts.get("yes", 0),
        counts.get("yes", 0) + counts.get("no", 0),
        extent,
        config,
    )


def damaged(name: str, folder: Path, problem: str) -> Head:
    """The head of a run that cannot be read."""
    return Head(name, datetime.fromtimestamp(changed_at(folder)).astimezone(), "damaged", problem=problem)


def changed_at(folder: Path) -> float:
    """When the run was last written, in seconds since 1970: its file or the log beside it; 0 where it is gone."""
    times = []
    for path in (folder / FILE, folder / f"{FILE}-wal"):
        try:
            times.append(path.stat().st_mtime)
        except OSError:
            continue
    return max(times, default=0.0)
