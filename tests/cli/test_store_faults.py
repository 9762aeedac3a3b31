"""A store that can no longer be written: one typed error, and what was scored is kept."""

import json
import sqlite3

import pytest

from adidem.core.errors import ConfigError, StoreError
from adidem.core.runs import store as module
from adidem.core.runs.store import FILE, RunStore

FULL = "PRAGMA max_page_count=24;"
READ_ONLY = "PRAGMA query_only=ON;"


@pytest.fixture
def words(meeting):
    return "run", "hico", *meeting, "--repeats", 4, "--out", "run", "--json"


def test_a_full_disk_is_one_line_and_what_was_scored_is_resumed(cli, words, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(module, "SCHEMA", module.SCHEMA + FULL)
        error = cli(*words, code=2).stderr
    assert "cannot be written: database or disk is full" in error
    assert "--out run --resume" in error
    with RunStore(tmp_path / "run") as store:
        before = {episode.key: episode for episode in store.episodes()}
    assert 0 < len(before) < 64
    done = json.loads(cli(*words, "--resume").stdout.splitlines()[-1])
    assert done["episodes"] == {"scored": 64, "failed": 0, "owed": 0}
    with RunStore(tmp_path / "run") as store:
        after = {episode.key: episode for episode in store.episodes()}
    assert {key: after[key] for key in before} == before, "nothing is played twice"


def test_a_disk_that_is_full_from_the_start_leaves_a_run_that_can_begin(cli, words, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(module, "SCHEMA", module.SCHEMA + "PRAGMA max_page_count=1;")
        assert "cannot be written" in cli(*words, code=2).stderr
    assert json.loads(cli(*words, "--resume").stdout.splitlines()[-1])["episodes"]["scored"] == 64


def test_a_file_made_read_only_is_a_typed_error(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SCHEMA", module.SCHEMA + READ_ONLY)
    with RunStore(tmp_path / "run", write=True) as store, pytest.raises(StoreError, match="readonly database"):
        store.put("a", 1)


def test_a_file_that_another_program_holds_is_waited_for_and_then_a_typed_error(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    with RunStore(tmp_path / "run", write=True) as store:
        store.put("a", 1)
        holder = sqlite3.connect(tmp_path / "run" / FILE)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="database is locked"):
            store.put("a", 2)
        holder.rollback()
        store.put("a", 3)
        assert store.get("a") == 3
        holder.close()


def test_a_folder_that_cannot_be_made_is_a_typed_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        RunStore(tmp_path / "file" / "run", write=True)


def test_a_finished_run_is_read_where_its_folder_cannot_be_written(cli, words, tmp_path, monkeypatch):
    cli(*words)
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    with RunStore(tmp_path / "run") as store:
        assert len(store.scored()) == 64
