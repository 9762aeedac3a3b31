"""A path that is no run: what is said of it names what lies there, and what to give instead."""

import os
from pathlib import Path

import pytest

from adidem.core.errors import ConfigError
from adidem.core.runs.store import RunStore
from adidem.core.web.folders import Runs


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(folder, age=0):
    folder.mkdir(parents=True)
    RunStore(folder, write=True).close()
    when = 1_700_000_000 - age
    os.utime(folder / "run.sqlite", (when, when))
    return folder


def refused(path):
    with pytest.raises(ConfigError) as error:
        RunStore(path)
    return str(error.value)


def test_a_folder_of_runs_names_the_newest_and_counts_the_rest(here):
    for age, name in enumerate(("newest", "newer", "new", "old", "oldest")):
        run(here / "runs" / name, age)
    said = refused(Path("runs"))
    assert "holds 5: give one, such as runs/newest, runs/newer, runs/new and 2 more" in said
    assert "adidem report RUN RUN" in said
    assert "adidem view runs" in said


def test_one_run_in_a_folder_is_named(here):
    run(here / "out" / "mine")
    assert refused(Path("out")) == "out is not a run, but holds one: give out/mine"


def test_an_empty_folder_says_that_no_run_lies_in_it(here):
    (here / "empty").mkdir()
    assert refused(Path("empty")) == "empty is not a run: it has no run.sqlite, and no run lies in it"


@pytest.mark.parametrize("given", ["runs/moring", "runs/morn", "morning", "elsewhere/morning"])
def test_a_mistyped_name_is_answered_with_the_nearest(here, given):
    run(here / "runs" / "morning-hico")
    run(here / "runs" / "morning")
    run(here / "runs" / "zebra")
    said = refused(Path(given))
    assert "there is no such folder; did you mean runs/morning" in said
    assert "zebra" not in said


def test_where_no_name_is_near_the_runs_beside_it_are_named(here):
    run(here / "runs" / "morning")
    assert "in runs lies runs/morning" in refused(Path("runs/xyz"))
    assert "adidem run keeps runs in runs/" in refused(Path("far/away"))


def test_a_file_is_said_to_be_one(here):
    mine = run(here / "mine")
    (here / "notes.txt").write_text("hello")
    assert refused(Path("notes.txt")) == "notes.txt is not a run but a file: give the folder of a run"
    assert refused(mine / "run.sqlite").endswith(f"a file, of the run {mine}: give that")


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("recipe.json", "holds a training run and no episodes: adidem report made shows its curves"),
        ("metrics.jsonl", "--agent hf:made/policy plays what was trained"),
        ("study.json", "holds a study and is no run: its table is made/table.md"),
        ("adidem.json", "holds a policy and is no run: --agent hf:made plays it"),
    ],
)
def test_what_training_made_is_named(here, file, said):
    (here / "made").mkdir()
    (here / "made" / file).write_text("{}")
    assert said in refused(Path("made"))


def test_the_viewer_does_not_open_on_training_alone(here):
    (here / "made").mkdir()
    (here / "made" / "recipe.json").write_text("{}")
    with pytest.raises(ConfigError, match="holds a training run"):
        Runs(here / "made")
    run(here / "made" / "evaluated")
    assert list(Runs(here / "made").all()) == ["evaluated"]


def test_every_verb_that_takes_a_run_says_it(cli, tmp_path):
    run(tmp_path / "runs" / "mine")
    for words in (
        ("report", "runs"),
        ("judge", "runs", "--judge", "scripted:judge"),
        ("export", "runs", "--format", "episodes"),
        ("language", "runs"),
        ("annotate", "runs", "--out", "sheets"),
        ("run", "hico", "--out", "runs", "--resume"),
    ):
        assert "runs is not a run, but holds one: give runs/mine" in cli(*words, code=2).stderr


def test_a_run_is_no_training_and_no_model(cli, tmp_path):
    run(tmp_path / "played")
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("policy: {model: tiny}\n")
    said = cli("train", "ppo", "--recipe", "recipe.yaml", "--out", "played", "--resume", code=2).stderr
    assert "holds no training run, but a run that was played" in said


def test_training_without_an_update_says_so(cli, tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "recipe.json").write_text("{}")
    assert "no update is written yet" in cli("report", "made", code=2).stderr


def test_the_folder_of_a_training_run_names_the_policy_in_it(cli, tmp_path):
    policy = tmp_path / "made" / "policy"
    policy.mkdir(parents=True)
    (policy / "adidem.json").write_text("{}")
    assert "in it is hf:made/policy" in cli("run", "hico", "--agent", "hf:made", code=2).stderr
