"""The viewer's own index of a run: a small file beside it that is filled as the run grows, and never the run itself.

It holds the columns that are filtered by, counts of their values, and the words of every conversation. Nothing is lost
when it is deleted.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any

from attrs import frozen

from adidem.core.errors import ConfigError
from adidem.core.runs.finding import is_run
from adidem.core.runs.store import RunStore
from adidem.core.web.facts import COLUMNS, FACETS, row_of, text_of

INDEX = "view.sqlite"
VERSION = 1
BATCH = 100
"""Episodes that are taken in at a time, in one transaction."""
SLICE = 1.0
"""Seconds of filling in the background between two looks at how far the run has got."""
PAUSE = 0.005
"""Seconds between two batches in the background, so that a page that is asked for meanwhile gets its turn."""
PATIENCE = 2.0

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE episodes ({", ".join(COLUMNS)}, PRIMARY KEY (task, barrier, repeat)) WITHOUT ROWID;
CREATE UNIQUE INDEX numbers ON episodes (number);
CREATE TABLE facets (field TEXT, value TEXT, count INTEGER, PRIMARY KEY (field, value)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (text, content='', columnsize=0, tokenize="unicode61 remove_diacritics 2");
PRAGMA user_version={VERSION};
COMMIT;
"""
"""`words` holds no text, and an episode that was stored anew leaves its old words behind: its old number is in no row
of `episodes` any more, so that nothing is found by them."""

_INSERT = f"INSERT INTO episodes ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


@frozen
class Extent:
    """How far the index has got: `indexed` of `total` stored episodes; `version` changes with every episode."""

    indexed: int
    total: int
    version: str

    @classmethod
    def of(cls, indexed: int, total: int, last: int) -> Extent:
        """The extent of an index of `indexed` episodes beside a run whose last one has the number `last`."""
        return cls(indexed, total, f"{total}-{last}-{indexed}")

    @property
    def whole(self) -> bool:
        """Whether every episode is in it."""
        return self.indexed >= self.total


class Index:
    """The index of one run. `path` is its file: beside the run, or in the cache where that cannot be written; `got` is
    how many episodes were in it when it was last looked at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = _place(folder)
        self.got = 0
        self._filling = Lock()
        self._thread: Thread | None = None

    def refresh(self, seconds: float) -> Extent:
        """Take in what was stored since, for so many seconds or a little more; the rest follows in the background.

        Raises:
            ConfigError: the run cannot be read, or no index can be written anywhere.
        """
        if self._thread is not None and self._thread.is_alive():
            return self._looked_at()
        extent = self._fill(seconds)
        if not extent.whole:
            self._thread = Thread(target=self._fill_all, name=f"index {self.folder.name}", daemon=True)
            self._thread.start()
        return extent

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to ask the index by, after a `refresh`. Raises ConfigError where it cannot be read."""
        try:
            there = f"{self.path.absolute().as_uri()}?mode=rw"  # one that is gone is not made anew
            with closing(sqlite3.connect(there, timeout=PATIENCE, uri=True)) as db:
                yield db
        except sqlite3.Error as error:
            raise ConfigError(f"{self.path}: the viewer's index cannot be read: {error}; delete it") from error

    # ---------------------------------------------------------------------------------------------------- filling

    def _fill_all(self) -> None:
        with suppress(ConfigError):  # the next page that asks says what is wrong
            while not self._fill(SLICE, PAUSE).whole:
                pass

    def _looked_at(self) -> Extent:
        with RunStore(self.folder) as store, self.reading() as db:
            total, last = store.extent()
            self.got = _counted(db)
        return Extent.of(self.got, total, last)

    def _fill(self, seconds: float, pause: float = 0.0) -> Extent:
        """One batch at least, where anything is owed; with a pause after each."""
        until = monotonic() + seconds
        with self._filling, RunStore(self.folder) as store, self._writing() as db:
            total, last = store.extent()
            indexed, at = _fitting(db, store)
            while at < last:
                at, indexed = _take(db, store)
                if monotonic() >= until:
                    break
                sleep(pause)
            total, last = store.extent()
            if at >= last and indexed != total:  # episodes are gone for good: another run took the folder
                _empty(db)
                indexed = 0
            self.got = indexed
        return Extent.of(indexed, total, last)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._open()) as db:
                yield db
        except (sqlite3.Error, OSError) as error:
            raise ConfigError(f"{self.path}: the viewer's index cannot be written: {error}") from error

    def _open(self) -> sqlite3.Connection:
        try:
            return self._made()
        except (sqlite3.Error, OSError):
            fallback = _cached(self.folder)
            if self.path == fallback or not is_run(self.folder):
                raise
            self.path = fallback
            return self._made()

    def _made(self) -> sqlite3.Connection:
        if self.path.parent != self.folder:  # a run that is gone gets no folder again
            self.path.parent.mkdir(parents=True, exist_ok=True)
        return _opened(self.path)


def _place(folder: Path) -> Path:
    return folder / INDEX if os.access(folder, os.W_OK) else _cached(folder)


def _cached(folder: Path) -> Path:
    from adidem.core.llm.cache import cache_file

    name = blake2b(os.fsencode(folder.resolve()), digest_size=10).hexdigest()
    return cache_file().parent / "view" / f"{name}.sqlite"


def _opened(path: Path) -> sqlite3.Connection:
    """The index, made anew where it is of another version or damaged."""
    for _ in range(3):
        db = sqlite3.connect(path, timeout=PATIENCE)
        try:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                db.execute("PRAGMA journal_mode=WAL")
                db.executescript(_SCHEMA)
                version = VERSION
            if version == VERSION:
                db.execute("PRAGMA synchronous=OFF")
                return db
        except sqlite3.OperationalError as error:
            if "already exists" not in str(error):  # another viewer made it meanwhile
                db.close()
                raise
            db.close()
            continue
        except sqlite3.DatabaseError:
            pass
        db.close()
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)
    raise sqlite3.DatabaseError(f"{path} is no index of this adidem")


def _at(db: sqlite3.Connection) -> int:
    """The number of the last episode that was taken in."""
    row = db.execute("SELECT value FROM meta WHERE key = 'at'").fetchone()
    return 0 if row is None else int(row[0])


def _counted(db: sqlite3.Connection) -> int:
    row = db.execute("SELECT value FROM meta WHERE key = 'count'").fetchone()
    return 0 if row is None else int(row[0])


def _fitting(db: sqlite3.Connection, store: RunStore) -> tuple[int, int]:
    """How many episodes are in it, and the number of the last one; emptied where it is the index of another run."""
    at, indexed = _at(db), _counted(db)
    if at:
        row = db.execute("SELECT task, barrier, repeat, seconds FROM episodes WHERE number = ?", (at,)).fetchone()
        number = store.number(*row[:3]) if row else None
        if number is None or number < at or (number == at and store.took(at) != row[3]):
            _empty(db)
            return 0, 0
    return indexed, at


def _empty(db: sqlite3.Connection) -> None:
    with db:
        for table in ("meta", "episodes", "facets"):
            db.execute(f"DELETE FROM {table}")
        db.execute("INSERT INTO words (words) VALUES ('delete-all')")


def _take(db: sqlite3.Connection, store: RunStore) -> tuple[int, int]:
    """Take in the next batch; the number of its last episode and how many there are then. Another viewer may be at the
    same index: where to go on is looked up once nobody else can write."""
    counts: Counter[tuple[str, str]] = Counter()
    change = 0
    with db:
        db.execute("BEGIN IMMEDIATE")
        at = _at(db)
        for number, facts, episode in store.since(at, BATCH):
            with store.reading():
                row, text = row_of(number, facts, episode), text_of(episode)
            old = db.execute(
                f"SELECT {', '.join(COLUMNS)} FROM episodes WHERE (task, barrier, repeat) = (?, ?, ?)", row[:3]
            ).fetchone()
            if old is not None:
                db.execute("DELETE FROM episodes WHERE (task, barrier, repeat) = (?, ?, ?)", row[:3])
                counts.subtract(_values(old))
                change -= 1
            db.execute(_INSERT, row)
            db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, text))
            counts.update(_values(row))
            change += 1
            at = number
        db.executemany(
            "INSERT INTO facets VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
            [(*place, count) for place, count in counts.items() if count],
        )
        indexed = _counted(db) + change
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [("at", at), ("count", indexed)])
    return at, indexed


def _values(row: Sequence[Any]) -> list[tuple[str, str]]:
    """What a row adds to the facets."""
    facts = dict(zip(COLUMNS, row, strict=True))
    return [*((name, facts[name]) for name in FACETS), *(("why", part) for part in facts["why"].split("\n") if part)]
