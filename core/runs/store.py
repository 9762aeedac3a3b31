"""The store of a run: one SQLite file (WAL), one transaction an episode, one writer at a time."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import cattrs
import orjson
from cattrs.preconf.orjson import make_converter

from adidem.core.domain import Cause, Episode, Scenario, Seat, Usage, other
from adidem.core.errors import ConfigError, StoreError
from adidem.core.outcomes import Outcomes, outcomes_of
from adidem.core.records import storable
from adidem.core.scenarios import scenario_from_json, scenario_to_json

FILE, LOCK = "run.sqlite", "run.lock"
VERSION = 1
"""The shape of the store, as its file says (`user_version`); 0 is one from before it was kept."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS scenarios (id TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS episodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task TEXT NOT NULL, barrier TEXT NOT NULL, repeat INTEGER NOT NULL,
  scenario TEXT NOT NULL, family TEXT NOT NULL, split TEXT NOT NULL, world TEXT NOT NULL, seat TEXT NOT NULL,
  status TEXT NOT NULL, cause TEXT, due TEXT, ended TEXT NOT NULL, turns INTEGER NOT NULL,
  feasibility INTEGER, integrity INTEGER, verified_success INTEGER, reasons TEXT NOT NULL,
  calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL,
  seconds REAL NOT NULL, complied INTEGER, times TEXT NOT NULL, extra TEXT, data BLOB NOT NULL,
  UNIQUE (task, barrier, repeat)
);
CREATE TABLE IF NOT EXISTS ratings (
  episode INTEGER NOT NULL, judge TEXT NOT NULL, dimension TEXT NOT NULL, who TEXT NOT NULL, score REAL, unscored TEXT,
  PRIMARY KEY (episode, judge, dimension, who)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS flags (
  episode INTEGER NOT NULL, judge TEXT NOT NULL, kind TEXT NOT NULL, who TEXT NOT NULL, supported INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS flags_of ON flags (episode);
CREATE TABLE IF NOT EXISTS attempts (
  episode INTEGER NOT NULL, who TEXT NOT NULL, cause TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (episode, who, cause)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
  episode INTEGER NOT NULL, who TEXT NOT NULL,
  calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL,
  PRIMARY KEY (episode, who)
) WITHOUT ROWID;
"""
"""`data` is the whole episode as compressed JSON (`unpacked`); the other columns and tables are short facts from it, so
that a report need not read it. `times` is the JSON of the seconds of its parts, `extra` that
of what it keeps besides."""

PATIENCE = 10.0
"""Seconds to wait for another program that holds the file (a backup, an open SQLite shell)."""

KEY = ("task", "barrier", "repeat")
COLUMNS = (
    *KEY, "scenario", "family", "split", "world", "seat", "status", "cause", "due", "ended", "turns",
    "feasibility", "integrity", "verified_success", "reasons",
    "calls", "prompt_tokens", "completion_tokens", "cost", "seconds", "complied",
)  # fmt: skip
RATINGS = ("judge", "dimension", "who", "score", "unscored")
FLAGS = ("judge", "kind", "who", "supported")
ATTEMPTS = ("who", "cause", "count")
SPENT = ("who", "calls", "prompt_tokens", "completion_tokens", "cost")
"""What the tables say of an episode, besides its `KEY`."""

TABLES = {
    "meta": ("key", "value"),
    "scenarios": ("id", "data"),
    "episodes": ("id", *COLUMNS, "times", "extra", "data"),
    "ratings": ("episode", *RATINGS),
    "flags": ("episode", *FLAGS),
    "spent": ("episode", *SPENT),
    "attempts": ("episode", *ATTEMPTS),
}
SHAPES: dict[str, type] = {"config": dict, "planned": int, "seconds": dict, "judges": dict}
"""What the facts about a run are, where they are there."""


@lru_cache(maxsize=1)
def _converter() -> cattrs.Converter:
    return make_converter(omit_if_default=True)


def packed(episode: Episode) -> bytes:
    """A whole episode as it is stored: JSON without what is at its default, compressed."""
    return zlib.compress(orjson.dumps(_converter().unstructure(episode)), 3)


def _mended(episode: Episode) -> Episode:
    """The episode with nothing in it that JSON cannot hold."""
    return _converter().structure(storable(_converter().unstructure(episode)), Episode)


def _unstorable(episode: Episode, error: Exception) -> Episode:
    """What is kept of an episode that cannot be: that it was played, and failed at this."""
    message = storable(f"the episode cannot be stored: {type(error).__name__}: {error}")[:300]
    return Episode(
        **{key: getattr(episode, key) for key in ("task", "scenario", "family", "split", "world", "seat", "repeat")},
        barrier=episode.barrier,
        agents=episode.agents,
        status="failed",
        cause=Cause("unstorable", message, 1, "store"),
    )


def _bindable(value: Any) -> None:
    """Raises where SQLite takes no such value."""
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError("an integer beyond 64 bits")
    elif isinstance(value, str):
        value.encode()
    elif value is not None and not isinstance(value, float | bytes):
        raise TypeError(f"a {type(value).__name__} where the store has a number or a text")


def unpacked(data: bytes) -> Episode:
    """The episode that was `packed`."""
    return _converter().structure(orjson.loads(zlib.decompress(data)), Episode)


class RunStore:
    """A run folder opened for writing (and then locked) or for reading.

    Raises:
        ConfigError: the folder holds no run, or another process is writing it.
    """

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        self.folder = folder
        self._lock: int | None = None
        path = folder / FILE
        if write:
            self._lock = _locked(folder)
        elif not path.is_file():
            raise ConfigError(f"{folder} is not a run: it has no {FILE}")
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
            raise self._damaged(error) from error

    def _new(self) -> bool:
        return self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None

    def _fits(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            raise self._damaged(f"its version is {version}, and this adidem reads {VERSION}")

    def _damaged(self, why: object) -> ConfigError:
        text = " ".join(str(why).split()) or type(why).__name__
        return ConfigError(f"{self.folder}: a store of another version, or damaged: {text[:300]} ({FILE})")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Whatever cannot be read is a store that is damaged."""
        try:
            yield
        except ConfigError:
            raise
        except Exception as error:
            raise self._damaged(f"{type(error).__name__}: {error}") from error

    def _all(self, query: str, arguments: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        with self._reading():
            cursor = self._db.execute(query, arguments)
        while True:
            with self._reading():
                row = cursor.fetchone()
            if row is None:
                return
            yield row

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
                kept = _mended(episode) if attempt == 1 else episode
                if attempt == 2:
                    kept = _unstorable(episode, causes[-1])
                return kept, self._keep(kept)
            except (TypeError, ValueError, OverflowError, RecursionError, cattrs.BaseValidationError) as error:
                causes.append(error)
        raise StoreError(f"{self.folder / FILE}: {episode.key} cannot be stored: {causes[-1]}") from causes[-1]

    def _keep(self, episode: Episode) -> Outcomes:
        outcomes = outcomes_of(episode)
        extra = orjson.dumps(episode.extra).decode() if episode.extra else None
        columns = (*_columns(episode, outcomes), orjson.dumps(episode.seconds).decode(), extra, packed(episode))
        parts = (
            ("ratings", RATINGS, _ratings(episode)),
            ("flags", FLAGS, _flags(episode)),
            ("spent", SPENT, _spent(episode)),
            ("attempts", ATTEMPTS, _attempts(episode)),
        )
        for value in (*columns, *(value for _, _, rows in parts for row in rows for value in row)):
            _bindable(value)
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
            raise StoreError(
                f"{self.folder / FILE} cannot be written: {error}. What was scored until now is kept; when it can be "
                f"written again, go on with --out {self.folder} --resume"
            ) from error

    def _insert(self, table: str, names: Sequence[str], rows: list[tuple[Any, ...]]) -> int:
        """Insert rows; the id of the last where the table has ids."""
        query, last = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", 0
        for row in rows:
            last = self._db.execute(query, row).lastrowid or 0
        return last

    def _put(self, key: str, value: Any) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, orjson.dumps(value).decode()))

    # ---------------------------------------------------------------------------------------------------- reading

    def get(self, key: str, default: Any = None) -> Any:
        """One fact about the run (`config`, `planned`, …)."""
        row = next(self._all("SELECT value FROM meta WHERE key = ?", (key,)), None)
        if row is None:
            return default
        with self._reading():
            value = orjson.loads(row[0])
            if not isinstance(value, SHAPES.get(key, object)):
                raise TypeError(f"its {key} is no {SHAPES[key].__name__}")
            return value

    def scored(self) -> set[tuple[str, str, int]]:
        """The keys of the episodes that are scored: what a resumed run does not owe."""
        return set(self._keys("SELECT task, barrier, repeat FROM episodes WHERE status = 'scored'"))

    def failed(self) -> set[tuple[str, str, int]]:
        """The keys of the episodes that were played and failed."""
        return set(self._keys("SELECT task, barrier, repeat FROM episodes WHERE status = 'failed'"))

    def _keys(self, query: str, arguments: Sequence[Any] = ()) -> Iterator[tuple[str, str, int]]:
        return ((task, barrier, repeat) for task, barrier, repeat in self._all(query, arguments))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The short facts of every episode (`COLUMNS`), in a fixed order, without its text."""
        query = f"SELECT {', '.join(COLUMNS)} FROM episodes ORDER BY task, barrier, repeat"
        return self._read(query, COLUMNS)

    def ratings(self) -> Iterator[dict[str, Any]]:
        """Every rating of every scored episode (`KEY`, `RATINGS`); `who` is `agent`, `partner` or `episode`."""
        return self._facts("ratings", RATINGS)

    def flags(self) -> Iterator[dict[str, Any]]:
        """Every fault that a judge flagged (`KEY`, `FLAGS`); `supported` is 0 where its quote was not there."""
        return self._facts("flags", FLAGS)

    def spent(self) -> Iterator[dict[str, Any]]:
        """What each speaker and judge used of models in each episode (`KEY`, `SPENT`)."""
        return self._facts("spent", SPENT)

    def attempts(self) -> Iterator[dict[str, Any]]:
        """The attempts of calls that came to nothing (`KEY`, `ATTEMPTS`), by who called and by cause."""
        return self._facts("attempts", ATTEMPTS)

    def rating_counts(self) -> list[dict[str, Any]]:
        """The ratings counted: how many (`count`) are the same in `scenario`, `barrier`, `verified_success` and all of
        `RATINGS`."""
        names = ("scenario", "barrier", "verified_success", *RATINGS)
        return self._counts(f"{_of('e', names[:3])}, {_of('t', RATINGS)} FROM ratings t JOIN episodes e", names)

    def failure_messages(self, cause: str | None, most: int = 1000) -> Counter[str]:
        """What was said of the first `most` episodes that failed by that cause, counted."""
        query = "SELECT data FROM episodes WHERE status = 'failed' AND cause IS ? ORDER BY id LIMIT ?"
        found: Counter[str] = Counter()
        for (data,) in self._all(query, (cause, most)):
            with self._reading():
                found[(orjson.loads(zlib.decompress(data)).get("cause") or {}).get("message", "")] += 1
        return found

    def flag_counts(self) -> list[dict[str, Any]]:
        """The flags counted by `judge`, `kind` and `supported`."""
        names = ("judge", "kind", "supported")
        return self._counts(f"{_of('t', names)} FROM flags t JOIN episodes e", names)

    def outcome_counts_where(self, judge: str, dimension: str, who: str, least: float) -> list[dict[str, Any]]:
        """Of the episodes that were rated at least so high, how many there are by `scenario`, `barrier` and
        `verified_success`."""
        names = ("scenario", "barrier", "verified_success")
        query = f"{_of('e', names)} FROM episodes e CROSS JOIN ratings t"
        also = " AND t.judge = ? AND t.dimension = ? AND t.who = ? AND t.score >= ?"
        return self._counts(query, names, also, (judge, dimension, who, least))

    def rated_alike(self, one: str, two: str, dimension: str) -> tuple[int, int]:
        """How many episodes two judges both scored on a dimension of whole episodes, and on how many they differ."""
        query = (
            "SELECT count(*), coalesce(sum(a.score != b.score), 0) FROM ratings a CROSS JOIN ratings b"
            " ON b.episode = a.episode AND b.judge = ? AND b.dimension = a.dimension AND b.who = a.who"
            " JOIN episodes e ON e.id = a.episode"
            " WHERE a.judge = ? AND a.dimension = ? AND a.score IS NOT NULL AND b.score IS NOT NULL"
        )
        both, differ = self._db.execute(query, (two, one, dimension)).fetchone()
        return both, differ

    def spent_by(self) -> list[dict[str, Any]]:
        """What each speaker and judge used in all (`SPENT`); `cost` is None where any part of it is unknown."""
        query = (
            "SELECT t.who, sum(t.calls), sum(t.prompt_tokens), sum(t.completion_tokens),"
            " CASE WHEN count(t.cost) = count(*) THEN round(total(t.cost), 10) END"
            " FROM spent t JOIN episodes e ON e.id = t.episode GROUP BY t.who ORDER BY t.who"
        )
        return list(self._read(query, SPENT))

    def _counts(
        self, query: str, names: Sequence[str], also: str = "", values: Sequence[Any] = ()
    ) -> list[dict[str, Any]]:
        """Equal rows counted, in a fixed order. SQLite would sort them all first to group them."""
        counts = Counter(self._db.execute(f"SELECT {query} ON t.episode = e.id{also}", values))
        ordered = sorted(counts.items(), key=lambda item: [(value is not None, value) for value in item[0]])
        return [{**dict(zip(names, row, strict=True)), "count": count} for row, count in ordered]

    def _facts(self, table: str, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Rows of a table with their episodes' keys, in the order of these: a cross join walks the index, unsorted."""
        columns = ", ".join((*(f"e.{name}" for name in KEY), *(f"t.{name}" for name in names)))
        order = "ORDER BY e.task, e.barrier, e.repeat"
        return self._read(
            f"SELECT {columns} FROM episodes e CROSS JOIN {table} t ON t.episode = e.id {order}", (*KEY, *names)
        )

    def _read(self, query: str, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        for row in self._all(query):
            yield dict(zip(names, row, strict=True))

    def episodes(self) -> Iterator[Episode]:
        """Every episode whole, in a fixed order."""
        for (data,) in self._all("SELECT data FROM episodes ORDER BY task, barrier, repeat"):
            with self._reading():
                episode = unpacked(data)
            yield episode

    def episode(self, task: str, barrier: str, repeat: int) -> Episode:
        """One episode whole.

        Raises:
            KeyError: the run has no such episode.
        """
        query = "SELECT data FROM episodes WHERE task = ? AND barrier = ? AND repeat = ?"
        row = next(self._all(query, (task, barrier, repeat)), None)
        if row is None:
            raise KeyError((task, barrier, repeat))
        with self._reading():
            return unpacked(row[0])

    def unrated(self, labels: Sequence[str]) -> list[tuple[str, str, int]]:
        """The keys of the scored episodes that one of these judges has not rated, in a fixed order."""
        query = (
            "SELECT task, barrier, repeat FROM episodes e WHERE status = 'scored' AND"
            f" (SELECT count(DISTINCT judge) FROM ratings r WHERE r.episode = e.id AND"
            f" r.judge IN ({', '.join('?' * len(labels))})) < ?"
            " ORDER BY task, barrier, repeat"
        )
        return list(self._keys(query, (*labels, len(labels))))

    def extras(self) -> Iterator[dict[str, Any]]:
        """What scored episodes keep besides (`extra`: barrier facts, detections), with their keys and scenarios."""
        query = (
            "SELECT task, barrier, repeat, scenario, extra FROM episodes"
            " WHERE status = 'scored' ORDER BY task, barrier, repeat"
        )
        for task, barrier, repeat, scenario, extra in self._all(query):
            with self._reading():
                found = orjson.loads(extra) if extra else {}
                facts = {"barrier_facts": found.get("barrier"), "detection": found.get("detection")}
            yield {"task": task, "barrier": barrier, "repeat": repeat, "scenario": scenario, **facts}

    def scenarios(self) -> Iterator[Scenario]:
        """The scenarios that the run plays."""
        for (data,) in self._all("SELECT data FROM scenarios ORDER BY id"):
            with self._reading():
                scenario = scenario_from_json(orjson.loads(zlib.decompress(data)))
            yield scenario

    def seconds(self, part: str) -> float:
        """The time spent in one part of all episodes, summed (episodes overlap, so it may exceed the wall time)."""
        query = "SELECT total(json_extract(times, '$.' || ?)) FROM episodes"
        return float(next(self._all(query, (part,)))[0])

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


def _of(table: str, names: Sequence[str]) -> str:
    return ", ".join(f"{table}.{name}" for name in names)


def _columns(episode: Episode, outcomes: Outcomes) -> tuple[Any, ...]:
    used = sum(episode.usage.values(), Usage())
    failures = episode.feasibility.failures if episode.feasibility is not None else ()
    reasons = sorted({f"{failure.kind}:{failure.rule}" for failure in failures})
    return (
        *episode.key,
        episode.scenario,
        episode.family,
        episode.split,
        episode.world,
        episode.seat,
        episode.status,
        None if episode.cause is None else episode.cause.kind,
        episode.due,
        episode.ended,
        len(episode.turns),
        outcomes.feasibility,
        outcomes.integrity,
        outcomes.verified_success,
        " ".join(reasons),
        used.calls,
        used.prompt_tokens,
        used.completion_tokens,
        used.cost,
        episode.seconds.get("total", 0.0),
        episode.extra.get("barrier", {}).get("complied"),
    )


def _who(episode: Episode) -> dict[Seat | None, str]:
    return {None: "episode", episode.seat: "agent", other(episode.seat): "partner"}


def _flags(episode: Episode) -> list[tuple[Any, ...]]:
    who = _who(episode)
    return [
        (judgement.judge, flag.kind, who[flag.seat], flag.supported)
        for judgement in episode.judgements
        for flag in judgement.flags
    ]


def _ratings(episode: Episode) -> list[tuple[Any, ...]]:
    who = _who(episode)
    return [
        (judgement.judge, r.dimension, who[r.seat], r.score, r.unscored)
        for judgement in episode.judgements
        for r in judgement.ratings
    ]


def _spent(episode: Episode) -> list[tuple[Any, ...]]:
    return [
        (who, used.calls, used.prompt_tokens, used.completion_tokens, used.cost)
        for who, used in episode.usage.items()
        if used.calls
    ]


def _attempts(episode: Episode) -> list[tuple[Any, ...]]:
    return [(who, *failed) for who, used in episode.usage.items() for failed in used.failed]


def _read_only(path: Path) -> str:
    """The URI to read a store by. Where its folder cannot be written and nobody is writing it, SQLite must be told that
    the file does not change, since it could not make the files of its log."""
    frozen = not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists()
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if frozen else ''}"


def _locked(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {error.strerror or error}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise ConfigError(f"{folder} is being written by another process") from None
    return handle
