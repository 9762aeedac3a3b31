"""The viewer's index: filled as a run grows, made anew where it does not fit, and never the run's own file."""

import sqlite3
import threading
from time import sleep

import pytest
from attrs import evolve

from adidem.core.errors import ConfigError
from adidem.core.runs.store import FILE, RunStore
from adidem.core.web import index as module
from adidem.core.web.index import INDEX, Index
from adidem.core.web.query import Asked, Filters, facets

WAIT = 20


def keys(index, **filters):
    with index.reading() as db:
        return [(r["task"], r["barrier"], r["repeat"]) for r in Asked(db, Filters(**filters)).page().rows]


def counts(index):
    with index.reading() as db:
        return facets(db)


def whole(index):
    """Refresh until everything is in."""
    for _ in range(1000):
        extent = index.refresh(WAIT)
        if extent.whole:
            return extent
        sleep(0.005)  # while a thread fills it a look takes no time
    raise AssertionError("the index never gets there")


def test_every_episode_is_in_it_and_the_run_is_left_alone(copied, episodes):
    folder = copied()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    extent = whole(Index(folder))
    assert (extent.indexed, extent.total) == (len(episodes), len(episodes))
    assert {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(INDEX)} == before
    assert keys(Index(folder)) == sorted(e.key for e in episodes)[:50]


def test_it_follows_a_run_that_grows_and_forgets_what_was_stored_anew(copied, episodes):
    folder = copied(change=lambda e: e if e.world == "a" else None)
    index = Index(folder)
    whole(index)
    new = next(e for e in episodes if e.world == "b")
    again = next(e for e in episodes if e.world == "a")
    with RunStore(folder, write=True) as store:
        store.add(new)
        version = whole(index).version
        assert new.key in keys(index, family=new.family, world="b")
        turn = evolve(again.turns[0], text="a zebra nobody had mentioned")
        store.add(evolve(again, turns=(turn,), barrier=again.barrier))
        assert whole(index).version != version
    assert keys(index, q="zebra") == [again.key]
    first = again.turns[0].text.split(".")[0]
    assert again.key not in keys(index, q=f'"{first}"', scenario=again.scenario, world="a", seat=again.seat)
    assert sum(count for _, count in counts(index)["world"]) == len(episodes) / 2 + 1


def test_counts_are_those_of_the_episodes(copied, episodes):
    index = Index(copied())
    whole(index)
    found = counts(index)
    for name in ("family", "barrier", "world", "seat"):
        expected = {
            value: sum(getattr(e, name) == value for e in episodes) for value in {getattr(e, name) for e in episodes}
        }
        assert dict(found[name]) == expected
    for name, value in (("why", "outcome:outcome"), ("outcome", "agree"), ("success", "no")):
        with index.reading() as db:
            assert Asked(db, Filters(**{name: value})).count() == dict(found[name])[value] > 0


@pytest.mark.parametrize("what", [b"", b"no database at all", b"SQLite format 3\x00" + bytes(4000)])
def test_a_damaged_index_is_made_anew(copied, what):
    folder = copied()
    (folder / INDEX).write_bytes(what)
    assert whole(Index(folder)).indexed == 48


def test_the_index_of_another_version_is_made_anew(copied, monkeypatch):
    folder = copied()
    whole(Index(folder))
    with sqlite3.connect(folder / INDEX) as db:
        db.execute("PRAGMA user_version=99")
        db.execute("DROP TABLE facets")
    assert whole(Index(folder)).indexed == 48
    assert counts(Index(folder))["world"] == [("a", 24), ("b", 24)]


def test_another_run_in_the_same_folder_is_noticed(copied, episodes):
    folder = copied("one")
    whole(Index(folder))
    other = copied("other", change=lambda e: evolve(e, seconds={"total": 1.5}) if e.world == "a" else None)
    (other / FILE).replace(folder / FILE)
    assert whole(Index(folder)).indexed == 24
    assert keys(Index(folder), world="b") == []


def test_a_run_that_cannot_be_written_has_its_index_in_the_cache(copied, tmp_path, monkeypatch):
    folder = copied()
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    index = Index(folder)
    assert whole(index).indexed == 48
    assert not (folder / INDEX).exists()
    assert index.path.is_file()
    assert index.path.parent.name == "view"
    again = Index(folder)
    assert again.path == index.path


def test_where_no_index_can_be_written_it_is_said(copied, monkeypatch, tmp_path):
    folder = copied()
    (folder / INDEX).mkdir()
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    monkeypatch.setenv("ADIDEM_CACHE", str(blocked))
    with pytest.raises(ConfigError, match="index cannot be written"):
        Index(folder).refresh(1)


def test_a_large_run_is_taken_in_bit_by_bit_and_shown_meanwhile(copied, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 5)
    monkeypatch.setattr(module, "PAUSE", 0.2)
    index = Index(copied())
    first = index.refresh(0.0)
    assert first.indexed == 5
    assert not first.whole
    assert 5 <= len(keys(index)) <= 48, "the thread may have gone on by now"
    assert index.refresh(0.0).indexed >= 5, "a thread goes on with it, and a page only looks"
    assert whole(index).indexed == 48


def test_many_pages_at_once_do_no_harm(copied, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 3)
    folder = copied()
    indexes, failed = [Index(folder), Index(folder)], []

    def look(number):
        try:
            for _ in range(4):
                indexes[number % 2].refresh(0.001)
                keys(indexes[number % 2])
        except Exception as error:  # noqa: BLE001  whatever a thread raises
            failed.append(error)

    threads = [threading.Thread(target=look, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert whole(indexes[0]).indexed == 48
    assert sum(count for _, count in counts(indexes[0])["world"]) == 48
