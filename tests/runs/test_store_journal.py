"""A store whose writer was killed while it changed the kind of its log."""

from __future__ import annotations

import shutil
import sqlite3

from adidem.core.runs.store import FILE, RunStore


def test_a_hot_journal_is_rolled_back_for_who_only_reads(tmp_path):
    """As a kill -9 leaves it: pages are written, and the journal that undoes them is still there."""
    run, killed = tmp_path / "run", tmp_path / "killed"
    with RunStore(run, write=True) as store:
        store.put("planned", 3)
    db = sqlite3.connect(run / FILE, isolation_level=None)
    db.execute("PRAGMA journal_mode=DELETE")
    db.execute("PRAGMA cache_size=1")
    db.execute("PRAGMA cache_spill=1")
    db.execute("BEGIN IMMEDIATE")
    db.execute("CREATE TABLE half (done)")
    db.executemany("INSERT INTO half VALUES (?)", [("x" * 3000,) for _ in range(200)])
    shutil.copytree(run, killed)
    db.execute("ROLLBACK")
    db.close()
    assert (killed / f"{FILE}-journal").stat().st_size > 512
    with RunStore(killed) as store:
        assert store.get("planned") == 3
        assert not store._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchone()
