"""`adidem annotate` and `adidem agree` end to end: a sheet out, answers in, judges and people compared."""

import json
import sqlite3
from pathlib import Path

import pytest


@pytest.fixture
def run(cli, meeting):
    """A played run in the folder `run`."""
    cli("run", "hico", *meeting, "--out", "run", "--json")
    return Path("run")


def answer(folder, name, change=dict):
    """Fill a sheet: the first answer to each question, then `change`; the finished file."""
    rows = [json.loads(line) for line in Path(folder, "sheet.jsonl").read_text().splitlines()]
    for row in rows:
        row["answer"] = row["answers"][0]
        change(row)
    path = Path(name)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def agreed(cli, *words):
    return json.loads(cli("agree", *words, "--json").stdout)


def test_a_small_study_from_sheets_to_agreement(cli, run):
    done = json.loads(cli("annotate", run, "--out", "study", "--annotators", 2, "--limit", 6, "--json").stdout)
    assert (done["conversations"], done["pairs"], done["questions"]) == (6, 0, 48)
    assert sorted(p.name for p in Path("study").iterdir()) == ["annotator-1", "annotator-2", "key.json"]
    one = answer("study/annotator-1", "one.jsonl")
    tasks = {item: mark["task"] for item, mark in json.loads(Path("study/key.json").read_text())["items"].items()}

    def strict(row):
        if row["question"] == "integrity" and tasks[row["item"]].endswith("first"):
            row["answer"] = "fail"

    two = answer("study/annotator-2", "two.jsonl", strict)
    told = cli("annotate", run, "--import", one, "--import", two, "--key", "study/key.json").stdout
    assert "annotator-1 48 answers, annotator-2 48 answers; 0 questions left open" in told
    files = [f"run/annotations/annotator-{n}.jsonl" for n in (1, 2)]
    found = agreed(cli, "run:integrity_rules.integrity", *files)
    integrity = found["dimensions"]["integrity"]
    assert [pair["n"] for pair in integrity["pairs"]] == [6, 6, 6]
    failed = sum(task.endswith("first") for task in tasks.values())
    share = integrity["pairs"][1]["figures"]["agreement"]
    assert share["value"] == pytest.approx((6 - failed) / 6)
    assert integrity["raters"][files[1]]["prevalence"]["0"] == pytest.approx(failed / 6)
    assert integrity["overall"]["fleiss_kappa"]["value"] is not None
    assert set(found["dimensions"]) >= {"unresolved_confusion", "mutual_understanding", "barrier", "factual_error"}
    assert found["identification"][files[0]]["accuracy"]["value"] == 0.0, "all said vague, none was at work"
    table = cli("agree", "run:integrity_rules.integrity", *files).stdout
    assert "Fleiss' κ" in table
    assert "only one category was used" in table
    assert "| A–C | Cohen's κ |" in cli("agree", "run:integrity_rules.integrity", *files, "--format", "md").stdout


def test_finished_sheets_are_compared_without_an_import(cli, run):
    cli("annotate", run, "--out", "study", "--ask", "integrity")
    sheet = answer("study/annotator-1", "one.jsonl")
    assert "give --key" in cli("agree", "run:integrity_rules.integrity", sheet, code=2).stderr
    found = agreed(cli, "run:integrity_rules.integrity", sheet, "--key", "study/key.json")
    assert list(found["dimensions"]) == ["integrity"]
    assert found["dimensions"]["integrity"]["n"] == 16


def test_two_runs_are_compared_and_sides_turned_back(cli, meeting, run):
    cli("run", "hico", "--agent", "scripted:agreeable", *meeting, "--out", "other", "--json")
    cli("annotate", "run", "other", "--out", "study", "--ask", "helped_more")
    key = json.loads(Path("study/key.json").read_text())
    (sheet,) = key["sheets"].values()

    def prefers_run(row):
        row["answer"] = "left" if sheet["left"][row["item"]] == "a" else "right"

    cli("annotate", "run", "--import", answer("study/annotator-1", "x.jsonl", prefers_run), "--key", "study/key.json")
    rows = [json.loads(line) for line in Path("run/annotations/annotator-1.jsonl").read_text().splitlines()]
    assert {row["answer"] for row in rows} == {"a"}
    assert {row["run_b"] for row in rows} == {"other"}
    assert len(rows) == 16


def test_ratings_of_further_specs_of_a_judge_are_sources(cli, run):
    with sqlite3.connect(run / "run.sqlite") as db:
        rows = db.execute("SELECT episode, score FROM ratings WHERE dimension = 'integrity'").fetchall()
        for number, (episode, score) in enumerate(rows):
            values = (episode, "integrity@openai/gpt-5.1:mini", "integrity", "episode")
            unscored = "refused" if number == 0 else None
            db.execute(
                "INSERT INTO ratings VALUES (?, ?, ?, ?, ?, ?)",
                (*values, None if unscored else float(number % 4 > 0) * score, unscored),
            )
    sources = "run:integrity_rules.integrity", "run:integrity@openai/gpt-5.1:mini.integrity"
    found = agreed(cli, *sources)
    figures = found["dimensions"]["integrity"]["pairs"][0]["figures"]
    assert figures["agreement"]["value"] == pytest.approx(12 / 15)
    assert figures["agreement"]["n"] == 15
    assert figures["cohen_kappa"]["ci_low"] is None, "one of the two passes everything"
    assert figures["pearson"]["undefined"] == "a rater gave the same score throughout"
    assert found["unscored"] == {sources[1]: {"integrity": 1}}


def test_what_judges_flagged_is_compared_with_what_people_found(cli, run):
    with sqlite3.connect(run / "run.sqlite") as db:
        (episode,) = db.execute("SELECT id FROM episodes").fetchone()
        columns = "episode, judge, kind, who, supported"
        for kind, supported in (("repetition", 1), ("format_text", 0)):
            db.execute(
                f"INSERT INTO flags ({columns}) VALUES (?, 'integrity_rules', ?, 'agent', ?)",
                (episode, kind, supported),
            )
    cli("annotate", run, "--out", "study", "--ask", "repetition", "--ask", "format_text")
    sheet = answer("study/annotator-1", "x.jsonl", lambda row: row.update(answer="no"))
    for kind, share in (("repetition", 15 / 16), ("format_text", 1.0)):
        found = agreed(cli, f"run:integrity_rules.{kind}", sheet, "--key", "study/key.json")
        assert found["dimensions"][kind]["pairs"][0]["figures"]["agreement"]["value"] == pytest.approx(share)


def test_a_judge_that_flagged_nothing_at_all_can_be_held_against_people(cli, run):
    """A clean run is where one asks what the judge missed."""
    with sqlite3.connect(run / "run.sqlite") as db:
        assert db.execute("SELECT count(*) FROM flags WHERE judge = 'integrity_rules'").fetchone() == (0,)
    cli("annotate", run, "--out", "study", "--ask", "repetition")
    sheet = answer("study/annotator-1", "x.jsonl", lambda row: row.update(answer="no"))
    found = agreed(cli, "run:integrity_rules.repetition", sheet, "--key", "study/key.json")
    assert found["dimensions"]["repetition"]["pairs"][0]["figures"]["agreement"]["value"] == 1.0
    assert "unknown rating" in cli("agree", "run:conduct.repetition", sheet, "--key", "study/key.json", code=2).stderr


def test_the_other_seat_is_a_dimension_of_its_own(cli, run):
    error = cli("agree", "run:conduct.substance.partner", "run:conduct.substance", code=2).stderr
    assert "no dimension is rated by two sources" in error


def test_different_runs_are_remarked(cli, meeting, run):
    cli("run", "hico", *meeting, "--out", "other", "--seed", 2, "--json")
    found = agreed(cli, "run:integrity_rules.integrity", "other:integrity_rules.integrity")
    assert "different runs" in found["notes"][0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["agree", "run:integrity_rules.integrty", "x"], "did you mean 'integrity_rules.integrity'"),
        (
            ["agree", "nowhere:integrity.integrity", "x"],
            "no such file and no such run; a source is RUN:judge.dimension",
        ),
        (["agree", "run:integrity_rules.integrity"], "no dimension is rated by two sources"),
        (["agree", *["run:integrity_rules.integrity"] * 2], "is given twice"),
        (["agree", "a", "b", "--format", "jsn"], "did you mean 'json'?"),
        (["annotate", "run"], "give --out DIR"),
        (["annotate", "run", "--out", "s", "--import", "x.csv"], "give --out DIR"),
        (["annotate", "run", "--import", "x.csv"], "--import needs the key"),
        (["annotate", "nowhere", "--out", "s"], "is not a run"),
        (["annotate", "run", "--out", "run"], "run exists; name a new one"),
        (["annotate", "run", "--out", "s", "--ask", "helped"], "did you mean 'helped_more'?"),
        (["annotate", "run", "--out", "s", "--ask", "helped_more"], "give RUN_B"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(cli, run, words, said):
    error = cli(*words, code=2).stderr
    assert len(error.splitlines()) == 1
    assert said in error
    assert not Path("s").exists()


def test_faults_of_a_sheet_are_named_by_line_and_nothing_is_stored(cli, run):
    cli("annotate", run, "--out", "study", "--limit", 2)
    sheet = answer("study/annotator-1", "x.jsonl", lambda row: row.update(answer="?"))
    error = cli("annotate", run, "--import", sheet, "--key", "study/key.json", code=2).stderr.splitlines()
    assert len(error) == 2 * 8 + 1
    assert error[0].startswith("adidem: x.jsonl:1: integrity: '?' is no answer")
    assert error[-1] == "adidem: nothing was taken over"
    assert not (run / "annotations").exists()
    error = cli("agree", "run:integrity_rules.integrity", sheet, "--key", "study/key.json", code=2).stderr
    assert "x.jsonl:1:" in error


def test_a_second_import_needs_leave(cli, run):
    cli("annotate", run, "--out", "study", "--limit", 2)
    words = "annotate", run, "--import", answer("study/annotator-1", "x.jsonl"), "--key", "study/key.json"
    cli(*words)
    assert "give --replace" in cli(*words, code=2).stderr
    cli(*words, "--replace")


def test_a_run_that_is_being_written_can_be_annotated(cli, run):
    from adidem.core.runs.store import RunStore

    with RunStore(run, write=True):
        cli("annotate", run, "--out", "study")
