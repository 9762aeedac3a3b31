"""The store of a run: one SQLite file (WAL), one transaction an episode, one writer at a time."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import cattrs
import orjson

from adidem.core.domain import Episode, Scenario
from adidem.core.errors import ConfigError, StoreError
from adidem.core.locking import locked
from adidem.core.outcomes import Outcomes, outcomes_of
from adidem.core.runs.finding import no_run
from adidem.core.runs.store_packing import _converter, bindable, mended, packed, unpacked, unstorable
from adidem.core.runs.store_reading import StoreReader
from adidem.core.runs.store_rows import attempts_of, columns_of, flags_of, ratings_of, spent_of
from adidem.core.runs.store_schema import (
    ATTEMPTS,
    COLUMNS,
    FILE,
    FLAGS,
    KEY,
    LOCK,
    PATIENCE,
    RATINGS,
    SCHEMA,
    SPENT,
    TABLES,
    VERSION,
)
from adidem.core.scenarios import scenario_to_json

__all__ = ["COLUMNS", "FILE", "KEY", "LOCK", "VERSION", "RunStore", "_converter", "packed", "unpacked"]


class RunStore(StoreReader):
    """A run folder opened for writing (and then locked) or for reading. `again` says how a person goes on where it can
    no longer be written.

    Raises:
        ConfigError: the folder holds no run, or another process is writing it.
        StoreError: it is opened for writing, and cannot be written.
    """

    def __init__(self, folder: Path, *, write: bool = False, again: str = "the same command goes on") -> None:
        self.folder = folder
        self._again = again
        self._lock: int | None = None
        path = folder / FILE
        if write:
            self._lock = locked(folder, LOCK)
        elif not path.is_file():
            raise ConfigError(no_run(folder))
        else:
            _roll_back(path)
        try:
            # a whole path when writing: one that begins with file: would be taken for an address
            self._db = sqlite3.connect(path.absolute() if write else _read_only(path), uri=not write, timeout=PATIENCE)
            self._fits()
            if write:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.executescript(f"PRAGMA user_version={VERSION};{SCHEMA}" if self._new() else SCHEMA)
            for table, names in TABLES.items():
                self._db.execute(f"SELECT {', '.join(names)} FROM {table} LIMIT 1").fetchone()
        except (sqlite3.Error, ConfigError) as error:
            self._unlock()
            if isinstance(error, ConfigError):
                raise
            if write and getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY):
                raise self._unwritable(error) from error
            raise self._damaged(error) from error

    def _new(self) -> bool:
        return self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None

    def _fits(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            raise self._damaged(f"its version is {version}, and this adidem reads {VERSION}")

    # ---------------------------------------------------------------------------------------------------- writing

    def begin(self, config: dict[str, Any], scenarios: Iterable[Scenario], planned: int) -> None:
        """Write what the run is: its configuration, its scenarios, how many episodes it owes in all."""
        with self._writing():
            self._put("config", config)
            self._put("planned", planned)
            self._db.executemany(
                "INSERT OR REPLACE INTO scenarios VALUES (?, ?)",
                [(s.id, zlib.compress(orjson.dumps(scenario_to_json(s)))) for s in scenarios],
            )

    def put(self, key: str, value: Any) -> None:
        """Keep one more fact about the run."""
        with self._writing():
            self._put(key, value)

    def add(self, episode: Episode) -> Outcomes:
        """`keep` an episode and give back its outcomes."""
        return self.keep(episode)[1]

    def keep(self, episode: Episode) -> tuple[Episode, Outcomes]:
        """Write an episode in one transaction (in place of an earlier failed try) and give it back with its outcomes.
        What JSON or SQLite cannot hold is mended in it, and if it still cannot be written it is kept as failed, with
        cause `unstorable`.

        Raises:
            StoreError: the file cannot be written.
        """
        causes: list[Exception] = []
        for attempt in range(3):
            try:
                kept = mended(episode) if attempt == 1 else episode
                if attempt == 2:
                    kept = unstorable(episode, causes[-1])
                return kept, self._keep(kept)
            except (TypeError, ValueError, OverflowError, RecursionError, cattrs.BaseValidationError) as error:
                causes.append(error)
        raise StoreError(f"{self.folder / FILE}: {episode.key} cannot be stored: {causes[-1]}") from causes[-1]

    def _keep(self, episode: Episode) -> Outcomes:
        outcomes = outcomes_of(episode)
        extra = orjson.dumps(episode.extra).decode() if episode.extra else None
        columns = (*columns_of(episode, outcomes), orjson.dumps(episode.seconds).decode(), extra, packed(episode))
        parts = (
            ("ratings", RATINGS, ratings_of(episode)),
            ("flags", FLAGS, flags_of(episode)),
            ("spent", SPENT, spent_of(episode)),
            ("attempts", ATTEMPTS, attempts_of(episode)),
        )
        for value in (*columns, *(value for _, _, rows in parts for row in rows for value in row)):
            bindable(value)
        with self._writing():
            before = self._db.execute("SELECT id FROM episodes WHERE (task, barrier, repeat) = (?, ?, ?)", episode.key)
            for (id_,) in before.fetchall():
                self._db.execute("DELETE FROM episodes WHERE id = ?", (id_,))
                for table, _, _ in parts:
                    self._db.execute(f"DELETE FROM {table} WHERE episode = ?", (id_,))
            id_ = self._insert("episodes", (*COLUMNS, "times", "extra", "data"), [columns])
            for table, names, rows in parts:
                self._insert(table, ("episode", *names), [(id_, *row) for row in rows])
        return outcomes

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing."""
        try:
            with self._db:
                yield
        except sqlite3.Error as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"{self.folder / FILE} cannot be written: {error}. What was scored until now is kept; when it can be "
            f"written again, {self._again}"
        )

    def _insert(self, table: str, names: Sequence[str], rows: list[tuple[Any, ...]]) -> int:
        """Insert rows; the id of the last where the table has ids."""
        query, last = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", 0
        for row in rows:
            last = self._db.execute(query, row).lastrowid or 0
        return last

    def _put(self, key: str, value: Any) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, orjson.dumps(value).decode()))

    # ---------------------------------------------------------------------------------------------------- closing

    def close(self) -> None:
        """Close the file and let go of the lock. After a clean end one file is left, which readers open without
        the files of a log beside it; unless somebody is reading just now."""
        if self._lock is not None:
            with suppress(sqlite3.Error):
                self._db.execute("PRAGMA busy_timeout=0")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _read_only(path: Path) -> str:
    """The URI to read a store by. Where its folder cannot be written and nobody is writing it, SQLite must be told that
    the file does not change, since it could not make the files of its log."""
    frozen = not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists()
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if frozen else ''}"


def _roll_back(path: Path) -> None:
    """Undo what a process that was killed left half done: who only reads a store is not let in before. It happens in
    the moment in which a writer changes how the file keeps its log. SQLite leaves a journal in use alone."""
    if path.with_name(path.name + "-journal").exists():
        with suppress(sqlite3.Error), closing(sqlite3.connect(path.absolute(), timeout=PATIENCE)) as db:
            db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
