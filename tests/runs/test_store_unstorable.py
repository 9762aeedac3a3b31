"""Whatever an episode holds, the run goes on; a store that cannot be read says so; a clean end leaves one file."""

import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest
from attrs import evolve

from adidem.core.domain import AgentNames, Episode, Usage, Written
from adidem.core.errors import ConfigError
from adidem.core.runs.store import FILE, VERSION, RunStore

EPISODE = Episode(
    "f/test/00/a/first", "f/test/00", "f", "test", "a", "first", 0, "none", AgentNames("x", "y"), "scored"
)


def deep(count):
    value = None
    for _ in range(count):
        value = [value]
    return value


@pytest.mark.parametrize("raw", ["\ud800", {"\udfff": 1}, 10**30, [10**5000], deep(300), {"a": object()}])
def test_what_json_cannot_hold_is_mended_in_the_episode(tmp_path, raw):
    with RunStore(tmp_path / "run", write=True) as store:
        kept, _ = store.keep(evolve(EPISODE, records={"first": Written(raw)}, extra={"a": raw}))
        assert kept.status == "scored"
        assert list(store.episodes()) == [kept]


@pytest.mark.parametrize(
    "change", [{"usage": {"agent": Usage(calls=2**70)}}, {"turns": 5}, {"due": object()}, {"extra": {"a": deep(900)}}]
)
def test_an_episode_that_cannot_be_mended_is_stored_as_failed(tmp_path, change):
    with RunStore(tmp_path / "run", write=True) as store:
        kept, _ = store.keep(evolve(EPISODE, **change))
        assert (kept.status, kept.cause.kind) == ("failed", "unstorable")
        assert store.failed() == {EPISODE.key}
        assert not store.scored()


@pytest.fixture
def folder(tmp_path):
    with RunStore(tmp_path / "run", write=True) as store:
        store.begin({"suite": "s"}, [], 1)
        store.add(EPISODE)
    return tmp_path / "run"


def test_a_clean_end_leaves_one_file_and_so_does_a_reader(folder):
    for _ in range(2):
        assert sorted(each.name for each in folder.iterdir()) == ["run.lock", FILE]
        with RunStore(folder) as store:
            assert store.scored() == {EPISODE.key}
    with RunStore(folder, write=True) as store:
        store.add(evolve(EPISODE, repeat=1))
        with RunStore(folder) as other:
            assert len(other.scored()) == 2, "a run is read while it is written"


DAMAGES = (
    "ALTER TABLE episodes DROP COLUMN times",
    *(f"DROP TABLE {name}" for name in ("meta", "scenarios", "episodes", "ratings", "flags", "spent", "attempts")),
    f"PRAGMA user_version={VERSION + 1}",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_store_of_another_shape_is_a_typed_error_at_open(folder, damage):
    with sqlite3.connect(folder / FILE) as db:
        db.execute(damage)
    db.close()
    with pytest.raises(ConfigError, match="a store of another version, or damaged"):
        RunStore(folder)


@pytest.mark.parametrize(
    ("damage", "value"),
    [
        ("UPDATE meta SET value = ? WHERE key = 'config'", "{"),
        ("UPDATE meta SET value = ? WHERE key = 'config'", "[1]"),
        ("UPDATE episodes SET data = ?", b"x"),
        ("UPDATE episodes SET data = ?", zlib.compress(b"[]")),
        ("UPDATE episodes SET extra = ?", "[1]"),
    ],
)
def test_what_cannot_be_read_in_a_store_is_a_typed_error(folder, damage, value):
    with sqlite3.connect(folder / FILE) as db:
        db.execute(damage, (value,))
    db.close()
    with RunStore(folder) as store, pytest.raises(ConfigError, match=f"{folder}: a store of another version, or"):
        (store.get("config"), list(store.episodes()), list(store.extras()))


def test_a_file_that_is_cut_off_is_a_typed_error(folder):
    whole = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match="a store of another version, or damaged"), RunStore(folder) as store:
        (list(store.rows()), list(store.episodes()), list(store.ratings()))


def test_a_store_from_before_versions_were_kept_is_read(folder):
    with sqlite3.connect(folder / FILE) as db:
        db.execute("PRAGMA user_version=0")
    db.close()
    with RunStore(folder) as store:
        assert store.scored()


def test_a_folder_named_like_an_address_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "file:x?mode=ro#f"
    with RunStore(Path(name), write=True) as store:
        store.put("a", 1)
    with RunStore(Path(name)) as store:
        assert store.get("a") == 1
    shutil.rmtree(tmp_path / name)
    assert not list(tmp_path.iterdir())
