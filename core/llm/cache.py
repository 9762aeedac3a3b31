"""Answers kept on disk, so that a judge is not paid twice for the same question: one SQLite file for all runs.

It is an aid and never a condition: where it cannot be read or written, the model is asked.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from attrs import define, field, frozen

from adidem.core.llm.redact import bare_url
from adidem.core.llm.transport import Request

FILE = "answers.sqlite"
FOLDER = "ADIDEM_CACHE"
"""Environment variable: the folder of the cache, in place of the one where the system keeps such things."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, model TEXT NOT NULL, at REAL NOT NULL, data BLOB NOT NULL)
"""
_FIELDS = {"text", "data", "reasoning", "finish"}
"""What is kept of an answer; what is otherwise was not kept by this adidem, and is asked anew."""

_log = logging.getLogger(__name__)


def cache_file() -> Path:
    """Where answers are kept."""
    said = os.environ.get(FOLDER)
    if said:
        return Path(said) / FILE
    from platformdirs import user_cache_path

    return user_cache_path("adidem") / FILE


def key_of(model: str, request: Request, schema: Mapping[str, Any] | None, repeat: int) -> bytes:
    """The digest of all that an answer depends on: model (as it was asked for), endpoint, messages, sampling, schema,
    seed, and the number of the repeat. No key is part of it."""
    said = {
        "model": model,
        "endpoint": bare_url(request.api_base) if request.api_base and "/" in model else None,
        "messages": [dict(message) for message in request.messages],
        "sampling": [request.temperature, request.top_p, request.max_tokens, request.stop, request.reasoning_effort],
        "extra": request.extra,
        "schema": schema,
        "seed": request.seed,
        "repeat": repeat,
        **({"tools": request.tools} if request.tools else {}),
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).digest()


@frozen
class Contents:
    """What the cache holds: its file, its size in bytes, and the number of answers of each model."""

    file: Path
    size: int
    answers: dict[str, int]


@define(eq=False)
class AnswerCache:
    """The kept answers. The file is opened by the first call that needs it."""

    file: Path = field(factory=cache_file)
    _db: sqlite3.Connection | None = field(default=None, init=False)
    _broken: bool = field(default=False, init=False)

    def get(self, key: bytes) -> dict[str, Any] | None:
        """The fields of an answer that was kept; None where there is none."""
        try:
            db = self._open()
            row = None if db is None else db.execute("SELECT data FROM answers WHERE key = ?", (key,)).fetchone()
            found = None if row is None else orjson.loads(row[0])
        except (sqlite3.Error, orjson.JSONDecodeError) as error:
            self._give_up(error)
            return None
        whole = isinstance(found, dict) and found.keys() == _FIELDS and isinstance(found["text"], str)
        return found if whole else None

    def put(self, key: bytes, model: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer."""
        try:
            db = self._open()
            if db is not None:
                with db:
                    row = (key, model, time.time(), orjson.dumps(answer))
                    db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            self._give_up(error)

    def contents(self) -> Contents:
        """What is in it. Raises sqlite3.Error where the file is no cache."""
        if not self.file.is_file():
            return Contents(self.file, 0, {})
        db = sqlite3.connect(f"{self.file.resolve().as_uri()}?mode=ro", uri=True)
        try:
            counts = dict(db.execute("SELECT model, count(*) FROM answers GROUP BY model ORDER BY model"))
        finally:
            db.close()
        return Contents(self.file, sum(each.stat().st_size for each in self._files()), counts)

    def clear(self) -> int:
        """Delete it; the number of bytes that were freed."""
        self.close()
        freed = 0
        for each in self._files():
            freed += each.stat().st_size
            each.unlink()
        return freed

    def close(self) -> None:
        """Close the file."""
        db, self._db = self._db, None
        if db is not None:
            db.close()

    def _files(self) -> list[Path]:
        files = (self.file.with_name(self.file.name + end) for end in ("", "-wal", "-shm"))
        return [each for each in files if each.is_file()]

    def _open(self) -> sqlite3.Connection | None:
        if self._db is None and not self._broken:
            try:
                self.file.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                self._give_up(error)
                return None
            self._db = sqlite3.connect(self.file, timeout=1.0)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=OFF")  # what a crash loses is asked again
            self._db.execute(_SCHEMA)
        return self._db

    def _give_up(self, error: Exception) -> None:
        """Say so once and go on without."""
        self.close()
        if not self._broken:
            _log.warning("adidem: warning: the cache of answers %s is not used: %s", self.file, error)
        self._broken = True
