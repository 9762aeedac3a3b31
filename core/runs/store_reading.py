"""Reads the store of a run: its facts, the short facts of its episodes, episodes whole."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import fsum
from pathlib import Path
from typing import Any

import orjson

from adidem.core.domain import Episode, Scenario
from adidem.core.errors import ConfigError
from adidem.core.outcomes import evidence_of
from adidem.core.runs.store_packing import opened, unpacked
from adidem.core.runs.store_schema import (
    ATTEMPTS,
    COLUMNS,
    FILE,
    FLAGS,
    KEY,
    NULLABLE,
    NUMBERS,
    RATINGS,
    SHAPES,
    SPENT,
    VERDICTS,
)
from adidem.core.scenarios import scenario_from_json

FETCHED = 100
"""Rows read at once: the guard around each reading costs more than a row."""


class StoreReader:
    """What can be asked of an open store; `RunStore` opens it."""

    folder: Path
    _db: sqlite3.Connection

    def _damaged(self, why: object) -> ConfigError:
        text = " ".join(str(why).split()) or type(why).__name__
        return ConfigError(f"{self.folder}: a store of another version, or damaged: {text[:300]} ({FILE})")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Whatever cannot be read, or made of what was read, is a store that is damaged: raises ConfigError."""
        try:
            yield
        except ConfigError:
            raise
        except Exception as error:
            raise self._damaged(f"{type(error).__name__}: {error}") from error

    def _all(self, query: str, arguments: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        with self.reading():
            cursor = self._db.execute(query, arguments)
        while True:
            with self.reading():
                rows = cursor.fetchmany(FETCHED)
            if not rows:
                return
            yield from rows

    def get(self, key: str, default: Any = None) -> Any:
        """One fact about the run (`config`, `planned`, …)."""
        row = next(self._all("SELECT value FROM meta WHERE key = ?", (key,)), None)
        if row is None:
            return default
        with self.reading():
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
        return ((row["task"], row["barrier"], row["repeat"]) for row in self._read(query, KEY, arguments))

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

    def evidence(self) -> str:
        """What the run's results are evidence of (`evidence_of`), by what its judges really scored."""
        return evidence_of(bool(self.get("speaks", False)), self.get("judges", {}), self.has_scored)

    def has_scored(self, judge: str) -> bool:
        """Whether a judge of that label gave any score."""
        query = "SELECT 1 FROM ratings WHERE judge = ? AND score IS NOT NULL LIMIT 1"
        return next(self._all(query, (judge,)), None) is not None

    def rating_kinds(self) -> list[dict[str, Any]]:
        """What was rated at all: every `judge`, `dimension` and `who`, in a fixed order."""
        names = ("judge", "dimension", "who")
        return list(self._read(f"SELECT DISTINCT {', '.join(names)} FROM ratings ORDER BY 1, 2, 3", names))

    def failure_messages(self, cause: str | None, most: int = 1000) -> Counter[str]:
        """What was said of the first `most` episodes that failed by that cause, counted."""
        query = "SELECT data FROM episodes WHERE status = 'failed' AND cause IS ? ORDER BY id LIMIT ?"
        found: Counter[str] = Counter()
        for (data,) in self._all(query, (cause, most)):
            with self.reading():
                found[(orjson.loads(zlib.decompress(data)).get("cause") or {}).get("message", "")] += 1
        return found

    def flag_counts(self) -> list[dict[str, Any]]:
        """The flags counted by `judge`, `kind` and `supported`."""
        names = ("judge", "kind", "supported")
        return self._counts(f"{_of('t', names)} FROM flags t JOIN episodes e", names)

    def rated_alike(self, one: str, two: str, dimension: str) -> tuple[int, int]:
        """How many episodes two judges both scored on a dimension of whole episodes, and on how many they differ."""
        query = (
            "SELECT count(*), coalesce(sum(a.score != b.score), 0) FROM ratings a CROSS JOIN ratings b"
            " ON b.episode = a.episode AND b.judge = ? AND b.dimension = a.dimension AND b.who = a.who"
            " JOIN episodes e ON e.id = a.episode"
            " WHERE a.judge = ? AND a.dimension = ? AND a.score IS NOT NULL AND b.score IS NOT NULL"
        )
        both, differ = next(self._all(query, (two, one, dimension)))
        return int(both), int(differ)

    def rated_apart(self, one: str, two: str, dimension: str, most: int) -> list[dict[str, Any]]:
        """The first `most` episodes (`task`, `barrier`, `repeat`) on which two judges differ in a dimension of whole
        episodes, with the score of each (`one`, `two`)."""
        query = (
            "SELECT e.task, e.barrier, e.repeat, a.score, b.score FROM ratings a CROSS JOIN ratings b"
            " ON b.episode = a.episode AND b.judge = ? AND b.dimension = a.dimension AND b.who = a.who"
            " JOIN episodes e ON e.id = a.episode"
            " WHERE a.judge = ? AND a.dimension = ? AND a.score != b.score ORDER BY 1, 2, 3 LIMIT ?"
        )
        names = (*KEY, "one", "two")
        return [dict(zip(names, row, strict=True)) for row in self._all(query, (two, one, dimension, most))]

    def spent_by(self) -> list[dict[str, Any]]:
        """What each speaker and judge used in all (`SPENT`); `cost` is None where any part of it is unknown."""
        parts: dict[str, list[tuple[Any, ...]]] = {}
        for row in self._read(f"SELECT {_of('t', SPENT)} FROM spent t JOIN episodes e ON e.id = t.episode", SPENT):
            who, *used = row.values()
            parts.setdefault(who, []).append(tuple(used))
        found = []
        for who, rows in sorted(parts.items()):
            *counts, costs = zip(*rows, strict=True)
            cost = None if None in costs else round(fsum(costs), 10)
            found.append(dict(zip(SPENT, (who, *map(sum, counts), cost), strict=True)))  # SQLite sums within 64 bits
        return found

    def _counts(
        self, query: str, names: Sequence[str], also: str = "", values: Sequence[Any] = ()
    ) -> list[dict[str, Any]]:
        """Equal rows counted, in a fixed order. SQLite would sort them all first to group them."""
        counts = Counter(self._all(f"SELECT {query} ON t.episode = e.id{also}", values))
        named = {row: self._named(row, names) for row in counts}
        ordered = sorted(counts.items(), key=lambda item: [(value is not None, value) for value in item[0]])
        return [{**named[row], "count": count} for row, count in ordered]

    def _facts(self, table: str, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Rows of a table with their episodes' keys, in the order of these: a cross join walks the index, unsorted."""
        columns = ", ".join((*(f"e.{name}" for name in KEY), *(f"t.{name}" for name in names)))
        order = "ORDER BY e.task, e.barrier, e.repeat"
        return self._read(
            f"SELECT {columns} FROM episodes e CROSS JOIN {table} t ON t.episode = e.id {order}", (*KEY, *names)
        )

    def _read(self, query: str, names: Sequence[str], arguments: Sequence[Any] = ()) -> Iterator[dict[str, Any]]:
        return (self._named(row, names) for row in self._all(query, arguments))

    def _named(self, row: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
        """A row by its columns. Raises ConfigError where a column holds something else than it should, as SQLite lets
        it."""
        for name, value in zip(names, row, strict=True):
            if value is None:
                if name not in NULLABLE:
                    raise self._damaged(f"an episode's {name} is missing")
            elif name not in NUMBERS:
                if not isinstance(value, str):
                    raise self._damaged(f"an episode's {name} is {type(value).__name__}, no text")
            elif not isinstance(value, int | float):
                raise self._damaged(f"an episode's {name} is {type(value).__name__}, no number")
            elif name in VERDICTS and value not in (0, 1):
                raise self._damaged(f"an episode's {name} is {value}, neither 0 nor 1")
        return dict(zip(names, row, strict=True))

    def episodes(self) -> Iterator[Episode]:
        """Every episode whole, in a fixed order."""
        for (data,) in self._all("SELECT data FROM episodes ORDER BY task, barrier, repeat"):
            with self.reading():
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
        with self.reading():
            return unpacked(row[0])

    def extent(self) -> tuple[int, int]:
        """How many episodes there are, and the number of the one that was stored last (0: none). Numbers grow and are
        never used again: an episode that is stored anew has a new one."""
        count, last = next(self._all("SELECT count(*), coalesce(max(id), 0) FROM episodes"))
        return count, last

    def since(self, number: int, most: int) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
        """Up to `most` episodes stored after the one of that number, in the order of storing: the number, the short
        facts (`COLUMNS`), and the episode's JSON."""
        query = f"SELECT id, data, {', '.join(COLUMNS)} FROM episodes WHERE id > ? ORDER BY id LIMIT ?"
        for id_, data, *row in self._all(query, (number, most)):
            with self.reading():
                episode = opened(data)
            yield id_, self._named(row, COLUMNS), episode

    def number(self, task: str, barrier: str, repeat: int) -> int | None:
        """The number of the episode of that key, or None where the run has none."""
        query = "SELECT id FROM episodes WHERE task = ? AND barrier = ? AND repeat = ?"
        row = next(self._all(query, (task, barrier, repeat)), None)
        return None if row is None else int(row[0])

    def took(self, number: int) -> float | None:
        """The seconds that the episode of that number took: to the microsecond, and so a mark of that very episode."""
        row = next(self._all("SELECT seconds FROM episodes WHERE id = ?", (number,)), None)
        with self.reading():
            return None if row is None else float(row[0])

    def success_counts(self) -> dict[str, int]:
        """How many episodes there are of each end: Verified Success `yes`, `no`, `unscored`, or `failed`. Reads every
        row: quick for some thousands."""
        query = (
            "SELECT CASE WHEN status != 'scored' THEN 'failed' WHEN verified_success IS NULL THEN 'unscored'"
            " WHEN verified_success THEN 'yes' ELSE 'no' END, count(*) FROM episodes GROUP BY 1"
        )
        return {str(end): int(count) for end, count in self._all(query)}

    def kin(self, scenario: str) -> list[dict[str, Any]]:
        """The short facts (`COLUMNS`) of every episode of a scenario, in a fixed order."""
        query = (
            f"SELECT {', '.join(COLUMNS)} FROM episodes WHERE task >= ? AND task < ? AND scenario = ?"
            " ORDER BY task, barrier, repeat"
        )
        return list(self._read(query, COLUMNS, (f"{scenario}/", f"{scenario}0", scenario)))  # 0 comes after /

    def unrated(self, labels: Sequence[str], again: Sequence[str] = ()) -> list[tuple[str, str, int]]:
        """The keys of the scored episodes that one of these judges has not rated, in a fixed order; a judge that left
        something unscored for a reason of a kind in `again` (`timeout` of `timeout: …`) has not."""
        kinds = "substr(unscored, 1, instr(unscored, ':') - 1)"
        query = (
            "SELECT task, barrier, repeat FROM episodes e WHERE status = 'scored' AND (SELECT count(*) FROM"
            f" (SELECT 1 FROM ratings r WHERE r.episode = e.id AND r.judge IN ({', '.join('?' * len(labels))})"
            f" GROUP BY r.judge HAVING total({kinds} IN ({', '.join('?' * len(again))})) = 0)) < ?"
            " ORDER BY task, barrier, repeat"
        )
        return list(self._keys(query, (*labels, *again, len(labels))))

    def extras(self) -> Iterator[dict[str, Any]]:
        """What scored episodes keep besides (`extra`: barrier facts, detections), with their keys and scenarios."""
        query = (
            "SELECT task, barrier, repeat, scenario, extra FROM episodes"
            " WHERE status = 'scored' ORDER BY task, barrier, repeat"
        )
        for task, barrier, repeat, scenario, extra in self._all(query):
            with self.reading():
                found = orjson.loads(extra) if extra else {}
                facts = {"barrier_facts": found.get("barrier"), "detection": found.get("detection")}
            yield {"task": task, "barrier": barrier, "repeat": repeat, "scenario": scenario, **facts}

    def scenarios(self) -> Iterator[Scenario]:
        """The scenarios that the run plays."""
        for (data,) in self._all("SELECT data FROM scenarios ORDER BY id"):
            with self.reading():
                scenario = scenario_from_json(orjson.loads(zlib.decompress(data)))
            yield scenario

    def played(self) -> dict[str, Scenario]:
        """The scenarios that the run plays, by id: that of every episode is among them.

        Raises:
            ConfigError: it is not: the store is damaged.
        """
        query = "SELECT scenario FROM episodes WHERE scenario NOT IN (SELECT id FROM scenarios) LIMIT 1"
        for (lacking,) in self._all(query):
            raise self._damaged(f"it has episodes of {lacking} and not that scenario")
        return {scenario.id: scenario for scenario in self.scenarios()}

    def scenario(self, id: str) -> Scenario | None:
        """The scenario of that id, or None where the run does not play it."""
        row = next(self._all("SELECT data FROM scenarios WHERE id = ?", (id,)), None)
        if row is None:
            return None
        with self.reading():
            return scenario_from_json(orjson.loads(zlib.decompress(row[0])))

    def seconds(self, part: str) -> float:
        """The time spent in one part of all episodes, summed (episodes overlap, so it may exceed the wall time)."""
        query = "SELECT total(json_extract(times, '$.' || ?)) FROM episodes"
        return float(next(self._all(query, (part,)))[0])


def _of(table: str, names: Sequence[str]) -> str:
    return ", ".join(f"{table}.{name}" for name in names)
