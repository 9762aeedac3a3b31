"""CSV with one row an episode or a group, Markdown for an appendix, terminal tables, and what is no run."""

import csv
import io
import json
import os
import sqlite3
from contextlib import closing

import pytest
from attrs import evolve

from adidem.core.domain import Cause
from adidem.core.report.causes import why
from adidem.core.report.sections.barriers import named
from adidem.core.report.text import cell, passage
from adidem.core.runs.store import FILE, RunStore


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_csv_has_a_row_an_episode_with_everything(cli, played):
    rows = rows_of(cli("report", played, "--format", "csv").stdout)
    assert len(rows) == 64
    with RunStore(played) as store:
        episodes = {tuple(map(str, e.key)): e for e in store.episodes()}
    for row in rows:
        episode = episodes[row["task"], row["barrier"], row["repeat"]]
        assert (row["agent"], row["partner"]) == ("scripted:guarded", "scripted:candid")
        assert row["evidence"] == "mechanism"
        assert (row["world"], row["family"], row["scenario"]) == (episode.world, episode.family, episode.scenario)
        assert row["severity"] == ("0.7" if row["barrier"] != "none" else "")
        goal = next(j for j in episode.judgements if j.judge == "sotopia").score("goal", episode.seat)
        assert float(row["sotopia.goal"]) == goal
        assert row["sotopia.goal.partner"]
    assert {"verified_success", "feasibility", "integrity", "cost", "seconds", "prompt_tokens", "cause"} <= set(rows[0])


def test_a_csv_of_several_runs_has_the_columns_of_all(cli, played, silent):
    rows = rows_of(cli("report", played, silent[0], "--format", "csv").stdout)
    assert len({row["run"] for row in rows}) == 2
    assert len(rows) == 64 + 16


def test_a_csv_of_groups_has_the_figures_of_the_json(cli, played):
    rows = rows_of(cli("report", played, "--format", "csv", "--summary").stdout)
    report = json.loads(cli("report", played, "--format", "json").stdout)
    found = {(row["group"], row["name"], row["measure"]): row for row in rows}
    for group, name in (("family", "meeting_place"), ("world", "a"), ("barrier", "semantic_vagueness:0.7")):
        wanted = report[f"by_{group}"][name]["verified_success"]
        row = found[group, name, "verified_success"]
        assert {key: float(row[key]) for key in wanted} == pytest.approx(wanted)
    crossed = report["by_family_world"]["meeting_place"]["b"]["feasibility"]
    assert float(found["family × world", "meeting_place × b", "feasibility"]["value"]) == crossed["value"]


def test_every_row_of_a_csv_says_what_it_is_evidence_of(cli, played, copied):
    models = copied("models", speaks=True, judges={"integrity": "openai/some-model"})
    for more in ([], ["--summary"]):
        rows = rows_of(cli("report", played, models, "--format", "csv", *more).stdout)
        assert {(row["run"], row["evidence"]) for row in rows} == {(str(played), "mechanism"), (str(models), "model")}


def test_a_barrier_that_is_named_alone_was_played_at_the_usual_severity(cli, copied):
    bare = copied("bare", lambda _, episode: evolve(episode, barrier=episode.barrier.partition(":")[0]))
    rows = rows_of(cli("report", bare, "--format", "csv").stdout)
    assert {(row["barrier"], row["severity"]) for row in rows} == {("none", ""), ("semantic_vagueness", "0.7")}


@pytest.mark.parametrize(
    ("condition", "barrier", "severity"),
    [
        ("none", "none", ""),
        ("a", "a", "0.7"),
        ("a:0.3", "a", "0.3"),
        ("a:0.5+b", "a+b", "0.5+0.7"),
    ],
)
def test_a_condition_is_a_barrier_and_a_severity(condition, barrier, severity):
    assert named(condition) == (barrier, severity)


def test_no_cell_of_a_csv_is_a_formula_or_a_control(cli, poisoned):
    text = cli("report", poisoned, "--format", "csv").stdout
    assert "\x1b" not in text
    for row in csv.reader(io.StringIO(text)):
        assert not [text for text in row if text[:1] in "=@" and text]


def test_markdown_has_no_double_blank_line_and_no_tag(cli, played, poisoned):
    for run in (played, poisoned):
        text = cli("report", run, "--format", "md").stdout
        assert "\n\n\n" not in text
        assert text.endswith("\n")
        lines = [line for line in text.splitlines() if not line.startswith("    ")]  # those are code
        assert not [line for line in lines if "<script" in line or "](" in line]
        assert "\x1b" not in text
    assert "| family | meeting_place |" in cli("report", played, "--format", "md").stdout


def test_no_terminal_table_holds_an_escape(cli, poisoned):
    for words in ((poisoned,), (poisoned, poisoned), (poisoned, poisoned, "--compare")):
        said = cli("report", *words).stdout
        assert not set(said) & {"\x1b", "\x9b", "\x07", "\x00", "\u202e"}
        assert len(said) < 400_000


def test_causes_carry_what_was_said_most_often(cli, copied):
    def fail(number, episode):
        said = "no answer" if number % 3 else "gone"
        return evolve(episode, status="failed", cause=Cause("timeout", said, 3)) if number % 2 else episode

    folder = copied("failing", fail)
    (failure,) = json.loads(cli("report", folder, "--format", "json").stdout)["failures"]
    assert failure == {"cause": "timeout", "count": 32, "message": "no answer"}
    assert "timeout × 32, most often: no answer" in cli("report", folder).stdout


def test_unscored_ratings_say_why(cli, copied):
    def lose(number, episode):
        lost = tuple(
            evolve(j, ratings=tuple(evolve(r, score=None, unscored="the judge is out") for r in j.ratings))
            if j.judge == "sotopia"
            else j
            for j in episode.judgements
        )
        return evolve(episode, judgements=lost)

    folder = copied("unjudged", lose)
    judges = json.loads(cli("report", folder, "--format", "json").stdout)["judges"]
    assert judges["sotopia"]["unscored_reasons"][0]["reason"] == "the judge is out"
    assert "most often: the judge is out" in " ".join(cli("report", folder).stdout.split())


@pytest.mark.parametrize(
    ("kind", "rule", "said"),
    [
        ("unreadable", "readable", "a record that cannot be read"),
        ("outcome", "outcome", "the wrong outcome"),
        ("mismatch", "start_time", "the two records differ in start time"),
        ("violation", "window", "breaks the rule window"),
    ],
)
def test_reasons_are_said_in_words(kind, rule, said):
    assert why({"kind": kind, "rule": rule}) == said


def test_a_folder_that_a_run_was_only_begun_in_is_no_run(cli, tmp_path):
    RunStore(tmp_path / "remnant", write=True).close()
    for form in ("table", "json", "csv", "md", "html"):
        assert "holds no run" in cli("report", tmp_path / "remnant", "--format", form, code=2).stderr


@pytest.mark.parametrize("text", ["a\x1b[31mb\u202ec", "Z" + "\u0334" * 900, "W" * 10_000, "a\n\n\tb\x00"])
def test_text_is_bounded_and_seen(text):
    shown = cell(text, 50)
    assert len(shown) <= 50
    assert not set(shown) & {"\x1b", "\u202e", "\n", "\x00"}
    assert len(passage(text, 100)) <= 150


def test_a_run_whose_name_is_no_utf8_is_reported(cli, copied):
    folder = copied("plain")
    folder = folder.rename(folder.parent / os.fsdecode(b"caf\xe9"))
    assert json.loads(cli("report", folder, "--format", "json").stdout)["run"].endswith("caf\\xe9")
    assert rows_of(cli("report", folder, "--format", "csv").stdout)[0]["run"].endswith("caf\\xe9")
    assert cli("report", folder).stdout


@pytest.mark.parametrize("column", ["verified_success", "calls", "cost"])
def test_a_column_of_numbers_with_a_text_in_it_is_a_damaged_store(cli, copied, column):
    folder = copied("damaged")
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute(f"UPDATE episodes SET {column} = 'yes' WHERE id = 1")
    for format in ("table", "csv", "json"):
        said = cli("report", folder, "--format", format, code=2).output
        assert "a store of another version, or damaged" in said
        assert f"an episode's {column} is str" in " ".join(said.split())
