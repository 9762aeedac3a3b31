"""Parquet and the data set's folder: read back by pyarrow and `datasets`, offline."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from adidem.core.export.rows import row_of
from adidem.core.runs.store import RunStore

pq = pytest.importorskip("pyarrow.parquet", reason="the extra export is not installed")


def test_parquet_holds_every_episode(cli, played, monkeypatch) -> None:
    """Row by row what the store has, in its order, also over several batches."""
    monkeypatch.setattr("adidem.core.export.parquet.BATCH", 5)
    cli("export", played, "--format", "parquet", "--out", "episodes.parquet")
    with RunStore(played) as store:
        scenarios = {s.id: s for s in store.scenarios()}
        rows = [row_of(episode, scenarios[episode.scenario]) for episode in store.episodes()]
    assert pq.read_table("episodes.parquet").to_pylist() == rows
    assert [json.loads(record["raw"])["outcome"] for record in rows[0]["records"]]


def test_an_unscored_outcome_is_null(cli, social) -> None:
    """A family without records has no Feasibility: null, never false."""
    cli("export", social, "--format", "parquet", "--out", "social.parquet")
    table = pq.read_table("social.parquet")
    assert table.column("feasibility").null_count == table.num_rows > 0
    assert table.column("records").to_pylist()[0] == []


def test_the_card_says_what_was_played(cli, played) -> None:
    cli("export", played, "--format", "hf", "--out", "folder")
    _, front, text = Path("folder/README.md").read_text(encoding="utf-8").split("---\n", 2)
    told = yaml.safe_load(front)
    assert told["configs"][0]["data_files"] == [{"split": "test", "path": "data/episodes.parquet"}]
    assert "scripted:candid" in text
    assert "Scripts spoke" in text
    assert "exists" in cli("export", played, "--format", "hf", "--out", "folder", code=2).stderr


@pytest.mark.slow
def test_datasets_loads_the_folder(cli, played, monkeypatch) -> None:
    datasets = pytest.importorskip("datasets")
    cli("export", played, "--format", "hf", "--out", "folder")
    found = datasets.load_dataset(str(Path("folder").resolve()), cache_dir="cache")
    assert list(found) == ["test"]
    assert found["test"].num_rows == 32
    assert found["test"][0]["turns"][0]["text"]


def test_without_pyarrow_it_says_what_to_install(cli, played, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert "'.[export]'" in cli("export", played, "--format", "parquet", "--out", "x.parquet", code=2).stderr


def test_a_run_whose_name_is_no_utf8_is_exported(cli, played, tmp_path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    shutil.copytree(played, folder)
    for format, place in (("parquet", "episodes.parquet"), ("hf", "hf"), ("chat", "chat")):
        assert f"caf\\xe9/{place}: " in cli("export", folder, "--format", format).stderr
        assert (folder / place).exists()


@pytest.mark.parametrize("format", ["chat", "sotopia"])
def test_a_store_that_lacks_a_scenario_is_damaged_and_nothing_is_made(cli, played, tmp_path, format) -> None:
    folder = tmp_path / "lacking"
    shutil.copytree(played, folder)
    with closing(sqlite3.connect(folder / "run.sqlite")) as db, db:
        db.execute("DELETE FROM scenarios WHERE id = (SELECT min(scenario) FROM episodes)")
    said = cli("export", folder, "--format", format, "--out", tmp_path / "new" / "out", code=2).stderr
    assert "a store of another version, or damaged: it has episodes of" in " ".join(said.split())
    assert not (tmp_path / "new").exists()


def test_calls_of_tools_are_columns(cli, tmp_path) -> None:
    """What the desk looked up before it spoke, with what it was given."""
    cli("run", "multiwoz", "--limit", "1", "--quiet", "--out", "desk")
    cli("export", "desk", "--format", "parquet", "--out", "desk.parquet")
    [row] = pq.read_table("desk.parquet").to_pylist()
    calls = [call for turn in row["turns"] for call in turn["calls"]]
    assert [call["name"] for call in calls] == ["find_restaurant"]
    assert json.loads(calls[0]["arguments"]) == {"food": "italian", "area": "centre"}
    assert json.loads(calls[0]["result"])["matches"] >= 1
    assert all(turn["calls"] == [] for turn in row["turns"] if turn["seat"] == "first")
