"""The shape of a run's store: its tables, their columns, what the facts about a run are."""

from __future__ import annotations

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

VERDICTS = frozenset({"feasibility", "integrity", "verified_success"})
"""Columns that are 0, 1 or, unscored, null."""
NUMBERS = VERDICTS | {
    "repeat", "turns", "calls", "prompt_tokens", "completion_tokens", "cost", "seconds", "complied", "score",
    "supported", "count",
}  # fmt: skip
"""Columns that are numbers or null. SQLite keeps a text in them too, where somebody writes one."""

NULLABLE = VERDICTS | {"cause", "due", "cost", "complied", "score", "unscored"}
"""Columns that may be null. All others that are no numbers are texts."""

TABLES = {
    "meta": ("key", "value"),
    "scenarios": ("id", "data"),
    "episodes": ("id", *COLUMNS, "times", "extra", "data"),
    "ratings": ("episode", *RATINGS),
    "flags": ("episode", *FLAGS),
    "spent": ("episode", *SPENT),
    "attempts": ("episode", *ATTEMPTS),
}
SHAPES: dict[str, type] = {
    "config": dict,
    "planned": int,
    "seconds": dict,
    "judges": dict,
    "about": dict,
    "baselines": list,
}
"""What the facts about a run are, where they are there."""
