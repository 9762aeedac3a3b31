"""Reports of stores that were damaged or filled with what no run writes: one line that says so, and no traceback."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from inspect import isfunction, signature
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Usage
from adidem.core.errors import ConfigError
from adidem.core.report.dumped import dumped
from adidem.core.runs.store import FILE, RunStore
from adidem.core.runs.store_reading import StoreReader

OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"
PAGE = 4096


@pytest.fixture
def torn(copied):
    """A store with 64 random bytes in each page from offset 5000 on."""
    folder = copied("torn")
    data, chance = bytearray((folder / FILE).read_bytes()), random.Random(1)
    for at in range(5000, len(data), PAGE):
        data[at : at + 64] = chance.randbytes(64)
    (folder / FILE).write_bytes(data)
    return folder


@pytest.mark.parametrize("format", ["table", "md", "csv", "json", "html"])
def test_damaged_pages_are_said_in_one_line_in_every_format(cli, torn, format):
    said = cli("report", torn, "--format", format, code=2).stderr
    assert "a store of another version, or damaged" in said


def test_damaged_pages_are_said_where_runs_are_compared(cli, torn, played):
    for format in ("table", "json"):
        said = cli("report", torn, played, "--compare", "--format", format, code=2).stderr
        assert "a store of another version, or damaged" in said


def _readings():
    named = {name for name, value in vars(StoreReader).items() if isfunction(value) and not name.startswith("_")}
    return sorted(named - {"reading"})


@pytest.mark.parametrize("name", _readings())
def test_no_reading_of_a_store_lets_an_error_of_sqlite_through(copied, name):
    """Whatever is asked of it, when no page can be read any more."""
    folder = copied("gone")
    with RunStore(folder) as store:
        store._db.close()
        with pytest.raises(ConfigError, match="a store of another version, or damaged"):
            _read(store, name)


def _read(store, name):
    asked = getattr(store, name)
    found = asked(*("a" for one in signature(asked).parameters.values() if one.default is one.empty))
    return list(found) if isinstance(found, Iterator) else found


LARGEST = 2**63 - 1


@pytest.fixture
def counted(copied):
    """A run in which every episode used as many tokens as a store can hold."""
    used = {"agent": Usage(LARGEST, LARGEST, 0, 0.5)}
    return copied("counted", lambda _, episode: evolve(episode, usage=used))


@pytest.mark.parametrize("format", ["table", "md", "csv", "json", "html"])
def test_sums_beyond_64_bits_are_in_every_format(cli, counted, format):
    cli("report", counted, "--format", format)


def test_sums_beyond_64_bits_are_exact_in_json(cli, counted):
    with RunStore(counted) as store:
        count = len(list(store.rows()))
    usage = json.loads(cli("report", counted, "--format", "json").stdout)["usage"]
    assert usage["prompt_tokens"] == usage["calls"] == usage["by"]["agent"]["prompt_tokens"] == count * LARGEST
    assert usage["by"]["agent"]["cost"] == count * 0.5


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.integers(-(2**90), 2**90) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whole_numbers_of_any_size_are_written_as_they_are(value):
    assert json.loads(dumped(value)) == value


@pytest.fixture
def nameless(copied):
    """A store without any `meta`."""
    folder = copied("nameless")
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute("DELETE FROM meta")
    return folder


MISSING = "the configuration of this run is missing from its store"


@pytest.mark.parametrize("format", ["table", "md", "csv", "json", "html"])
def test_a_report_says_that_a_configuration_is_missing(cli, nameless, played, format):
    out = () if format == "table" else ("--out", nameless / "written")
    for run, said in ((nameless, True), (played, False)):
        result = cli("report", run, "--format", format, *out)
        written = (nameless / "written").read_text() if out else result.stdout
        text = written if format not in ("csv", "json") else result.stderr
        assert (MISSING in " ".join(text.split())) == said
    assert format != "json" or json.loads(written)["configured"]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_judging_says_that_a_configuration_is_missing(cli, nameless, more):
    result = cli("judge", nameless, "--judge", "scripted:judge", "--plugin", OUTSIDE, *more)
    assert MISSING in " ".join((result.stderr if more else result.stdout).split())
