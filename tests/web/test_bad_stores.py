"""Stores that hold what no run writes, or that go away while they are looked at: a page that says so."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from threading import Event, Thread

import pytest
from attrs import evolve

from adidem.core.domain import Usage
from adidem.core.runs.store import FILE
from adidem.core.web.index import Index

LARGEST = 2**63 - 1


def test_counts_beyond_64_bits_are_shown_and_ordered_by(copied, ask, episodes):
    used = {"agent": Usage(LARGEST, LARGEST, LARGEST)}
    copied(change=lambda e: evolve(e, usage=used if e.world == "a" else {"agent": Usage(1, 2, 3)}))
    for order in ("task", "tokens"):
        answer = ask("/episodes", run="run", order=order)
        assert answer.status == 200
        assert "1.84e+19" in answer.text
    one = next(e for e in episodes if e.world == "a")
    for path in ("/episode", "/episode.json"):
        assert ask(path, run="run", task=one.task, condition=one.barrier, order="tokens").status == 200


@pytest.mark.parametrize("path", ["/episodes", "/episode"])
def test_a_run_that_is_deleted_while_a_page_is_made_is_gone(copied, ask, episodes, monkeypatch, path):
    """Between the filling of its index and the reading of it."""
    folder, refreshed = copied("run"), Index.refresh
    copied("other")

    def refresh(self, seconds):
        extent = refreshed(self, seconds)
        shutil.rmtree(folder)
        return extent

    monkeypatch.setattr(Index, "refresh", refresh)
    one = episodes[0]
    answer = ask(path, run="run", task=one.task, condition=one.barrier)
    assert answer.status == 404
    assert "the run run is gone" in answer.text
    assert not folder.exists()


def test_a_run_that_is_deleted_while_eight_look_at_it_is_gone_for_all(copied, ask, episodes):
    folder, one, seen, done = copied("run"), episodes[0], [], Event()
    assert ask("/episodes", run="run").status == 200

    def look(path):
        while not done.is_set():
            answer = ask(path, run="run", task=one.task, condition=one.barrier)
            seen.append((path, answer.status, answer.text if answer.status == 500 else ""))

    threads = [Thread(target=look, args=(path,)) for path in ("/episodes", "/episode", "/live", "/") * 2]
    for thread in threads:
        thread.start()
    while folder.exists():  # who looks makes the files of a log anew meanwhile
        shutil.rmtree(folder, ignore_errors=True)
    done.wait(0.5)
    done.set()
    for thread in threads:
        thread.join()
    assert {status for path, status, _ in seen if path != "/"} <= {200, 404}, [said for *_, said in seen if said][:1]
    assert {status for path, status, _ in seen if path == "/"} == {200}
    assert not folder.exists()


def altered(folder, column, value):
    """One episode of a run with a value in a column that no run writes."""
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute(f"UPDATE episodes SET {column} = ? WHERE id = 1", (value,))
    return folder


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("seconds", "long", "seconds is str, no number"),
        ("turns", "many", "turns is str, no number"),
        ("repeat", "x", "repeat is str, no number"),
        ("verified_success", 7, "verified_success is 7, neither 0 nor 1"),
        ("feasibility", 7, "feasibility is 7, neither 0 nor 1"),
        ("family", b"\x00", "family is bytes, no text"),
        ("due", b"\x00", "due is bytes, no text"),
    ],
)
def test_a_column_with_a_value_of_another_kind_is_a_damaged_store(copied, ask, episodes, column, value, said):
    altered(copied("run"), column, value)
    for path, more in (("/episodes", {}), ("/episode", {"task": episodes[0].task})):
        answer = ask(path, run="run", **more)
        assert answer.status == 500
        assert "a store of another version, or damaged" in answer.text
        assert said in answer.text


HOSTILE = "deal\x1b[31m\u202e\x07"


@pytest.mark.parametrize("column", ["family", "world", "seat", "due", "ended", "barrier", "scenario"])
def test_no_control_of_a_column_is_in_a_page_and_it_can_be_filtered_by(copied, ask, column):
    altered(copied("run"), column, HOSTILE)
    text = ask("/episodes", run="run").text
    assert not set("\x1b\u202e\x07") & set(text)
    if column != "ended":
        shown = "deal\u241b[31m\ufffd\u2407"
        assert column == "scenario" or f'value="{shown}"' in text
        for asked_for in (shown, HOSTILE):
            assert "<b>1</b> episode fits" in ask("/episodes", run="run", **{column: asked_for}).text
