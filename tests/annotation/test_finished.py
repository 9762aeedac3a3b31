"""Finished sheets: what is read from CSV and JSON lines, and the line that each fault is named by."""

import json
from contextlib import suppress

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.annotation.finished import SheetProblems, read_lines, whole
from adidem.core.annotation.imports import check_run, read_annotations, store
from adidem.core.annotation.key import StudyKey, read_key, write_key
from adidem.core.annotation.questions import chosen
from adidem.core.annotation.sheet import write_sheet
from adidem.core.annotation.sources import read_sources
from adidem.core.annotation.study import draw
from adidem.core.errors import ConfigError
from adidem.core.runs.store import RunStore


@pytest.fixture
def study(played, tmp_path):
    """A written study of four conversations for one annotator: the key and the sheet's folder."""
    with RunStore(played) as run:
        drawn = draw(run, None, chosen([]), limit=4)
    write_sheet(drawn.sheets[0], tmp_path / "sheet")
    return drawn.key, tmp_path / "sheet"


def filled(folder, change=dict):
    """The rows of the empty sheet, the first answer to each question, changed."""
    rows = [json.loads(line) for line in (folder / "sheet.jsonl").read_text().splitlines()]
    for row in rows:
        row["answer"] = row["answers"][0]
        change(row)
    return rows


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def problems(path, key):
    with pytest.raises(SheetProblems) as caught:
        read_annotations([path], key)
    return list(caught.value.problems)


def test_a_finished_sheet_comes_back_with_tasks(study, tmp_path):
    key, folder = study
    found, left_open = read_annotations([jsonl(tmp_path / "x.jsonl", filled(folder))], key)
    assert len(found) == 4 * 8
    assert left_open == 0
    assert {a.task for a in found} == {mark.task for mark in key.items.values()}
    assert {a.answer for a in found if a.question == "mutual_understanding"} == {"1"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_spreadsheets_csv_is_read_whatever_separates_its_cells(study, tmp_path, delimiter):
    key, folder = study
    rows = filled(folder)
    text = (folder / "sheet.csv").read_text(encoding="utf-8-sig").replace('"', "")
    head, *lines = text.splitlines()
    assert head == "sheet,annotator,number,item,question,asks,answers,answer,turn"
    assert len(lines) == len(rows)
    wanted = ["sheet", "item", "question", "answer", "turn"]
    cells = [[row["sheet"], row["item"], row["question"], row["answer"].upper(), ""] for row in rows]
    path = tmp_path / "x.csv"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(map(delimiter.join, [wanted, *cells, [""] * 5])).encode())
    assert read_annotations([path], key) == read_annotations([jsonl(tmp_path / "x.jsonl", rows)], key)


def test_open_questions_are_counted_and_stored_nowhere(study, tmp_path):
    key, folder = study
    rows = filled(folder, lambda row: row.update(answer=None) if row["question"] == "barrier" else None)
    found, left_open = read_annotations([jsonl(tmp_path / "x.jsonl", rows)], key)
    assert left_open == 4
    assert not [a for a in found if a.question == "barrier"]


def test_a_turn_is_stored_from_0(study, tmp_path):
    key, folder = study
    rows = filled(folder, lambda row: row.update(turn=2) if row["question"] == "repetition" else None)
    found, _ = read_annotations([jsonl(tmp_path / "x.jsonl", rows)], key)
    assert {a.turn for a in found if a.question == "repetition"} == {1}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answer": "maybe"}, "integrity: 'maybe' is no answer; it is one of pass, fail"),
        ({"sheet": "sheet-x"}, "sheet 'sheet-x' is not one of this key"),
        ({"item": "item-x"}, "item 'item-x' is not one of this key"),
        ({"question": "integrty"}, "question 'integrty' is not asked of this item"),
        ({"question": "helped_more"}, "question 'helped_more' is not asked of this item"),
        ({"annotator": "../../x"}, "annotator '../../x': a name is 1 to 40 letters, digits, - or _"),
        ({"turn": 1}, "integrity: a turn beside 'pass'"),
        ({"answer": None, "turn": 1}, "integrity: a turn without an answer"),
        ({"question": "repetition", "answer": "yes", "turn": 99}, "repetition: turn '99' is none of 1 to"),
        ({"question": "repetition", "answer": "yes", "turn": "two"}, "repetition: turn 'two' is none of 1 to"),
    ],
)
def test_a_fault_is_named_by_its_line(study, tmp_path, change, said):
    key, folder = study
    rows = [row for row in filled(folder) if row["question"] == "integrity"]
    rows[2].update(change)
    path = jsonl(tmp_path / "x.jsonl", rows)
    (found,) = problems(path, key)
    assert found.startswith(f"{path}:3: {said}")


def test_every_fault_is_named_at_once(study, tmp_path):
    key, folder = study
    rows = filled(folder, lambda row: row.update(answer="?"))
    assert len(problems(jsonl(tmp_path / "x.jsonl", rows), key)) == len(rows)


def test_an_answer_given_twice_names_both_lines(study, tmp_path):
    key, folder = study
    rows = filled(folder)[:1]
    path = jsonl(tmp_path / "x.jsonl", [*rows, *rows])
    assert problems(path, key) == [f"{path}:2: annotator-1 answered this already, in {path}:1"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.jsonl", b'{"question": 1, "answer": 2}\n{"question', ":2: is not JSON"),
        ("x.jsonl", b"[1]\n", ":1: has no question and no answer"),
        ("x.csv", b"item,question\na,b\n", ":1: has no column answer"),
        ("x.csv", b"item,question,answer\na,b,c,d\n", ":2: has 4 cells under 3 columns"),
        ("x.csv", b'item,question,answer\n"a\nb",c,d\na,b,c,d\n', ":4: has 4 cells under 3 columns"),
        ("x.csv", b"item,question,answer\na,b," + b"c" * 200_000, ":2: is not CSV"),
    ],
)
def test_a_broken_line_is_named(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    _, found = read_lines(tmp_path / name)
    assert len(found) == 1
    assert found[0].startswith(f"{tmp_path / name}{said}")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.csv", b"item,question,answer\na,b,\xff\n", r"x\.csv:2: is not UTF-8"),
        ("x.xlsx", b"PK", r"x\.xlsx: a sheet is a \.csv or a \.jsonl file"),
        ("nowhere/x.csv", None, r"x\.csv: cannot be read: No such file"),
    ],
)
def test_a_file_that_is_no_sheet_says_so(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        read_lines(tmp_path / name)


@given(st.binary(max_size=300), st.sampled_from([".csv", ".jsonl"]))
def test_no_file_however_broken_raises_anything_else(tmp_path_factory, content, suffix):
    path = tmp_path_factory.mktemp("any") / f"x{suffix}"
    path.write_bytes(content)
    try:
        lines, found = read_lines(path)
    except ConfigError:
        return
    assert all(isinstance(cell, str) for line in lines for cell in line.cells.values())
    assert all(str(path) in problem for problem in found)
    with suppress(ConfigError):
        assert read_annotations([path], StudyKey("r", None, 0, {}, {}))[0] == []


def test_numbers_as_a_spreadsheet_writes_them():
    assert [whole(text) for text in ("3", "3.0", "", "-1", "x", "٣", "9" * 40)] == [3, 3, *[None] * 5]


def test_a_key_comes_back_as_it_was_written(study, tmp_path):
    key, _ = study
    write_key(key, tmp_path / "key.json")
    assert read_key(tmp_path / "key.json") == key


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "is not JSON"), ("[]", "is not a key"), ('{"format": "adidem annotation key 1"}', "is a broken key")],
)
def test_a_broken_key_says_so(tmp_path, content, said):
    (tmp_path / "key.json").write_text(content)
    with pytest.raises(ConfigError, match=said):
        read_key(tmp_path / "key.json")


def test_another_run_is_refused(study, played, copied):
    from attrs import evolve

    key, _ = study
    with RunStore(played) as run:
        check_run(run, key)
    other = copied("other", lambda e: evolve(e, turns=tuple(evolve(t, text=t.text + "!") for t in e.turns)))
    with RunStore(other) as run, pytest.raises(ConfigError, match="is not the run of this key"):
        check_run(run, key)


def test_what_is_stored_is_read_as_a_source(study, copied, tmp_path):
    key, folder = study
    rows = filled(folder, lambda row: row.update(annotator="ann_b"))
    found, _ = read_annotations([jsonl(tmp_path / "x.jsonl", rows)], key)
    with RunStore(copied("run")) as run:
        paths = store(run, found)
        with pytest.raises(ConfigError, match="is there already"):
            store(run, found)
        store(run, found, replace=True)
    assert paths == {"ann_b": tmp_path / "run" / "annotations" / "ann_b.jsonl"}
    (source,) = read_sources(str(paths["ann_b"]))
    assert set(source.ratings["integrity"].values()) == {1.0}
    assert set(source.ratings["barrier"].values()) == {"semantic_vagueness"}
    assert source.run == (tmp_path / "run").resolve()
    (unimported,) = read_sources(str(tmp_path / "x.jsonl"), key)
    assert unimported.ratings == source.ratings


def test_a_file_by_task_of_somebody_elses_making_is_read(tmp_path):
    path = tmp_path / "theirs.csv"
    path.write_text("task,annotator,question,answer\nt/1,x,integrity,pass\nt/1,y,integrity,fail\nt/1,y,warmth,3.5\n")
    x, y = read_sources(str(path))
    assert (x.name, y.name) == (f"{path}:x", f"{path}:y")
    assert x.ratings == {"integrity": {("t/1", "none", 0): 1.0}}
    assert y.ratings == {"integrity": {("t/1", "none", 0): 0.0}, "warmth": {("t/1", "none", 0): 3.5}}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("t,none,0,integrity,maybe", ":2: integrity: 'maybe' is no answer"),
        ("t,none,one,integrity,pass", ":2: repeat 'one' is no number"),
        ("t,none,0,,pass", ":2: has no question"),
        ("t,none,0,integrity,pass\nt,none,0,integrity,fail", ": somebody answered integrity of t/none/0 twice"),
        ("t,none,0,integrity,pass\n,none,0,integrity,fail", ":3: has no task"),
    ],
)
def test_faults_in_a_file_by_task(tmp_path, rows, said):
    path = tmp_path / "theirs.csv"
    path.write_text(f"task,barrier,repeat,question,answer\n{rows}\n")
    with pytest.raises(SheetProblems) as caught:
        read_sources(str(path))
    assert caught.value.problems[0].startswith(f"{path}{said}")


def test_a_stored_file_is_one_json_object_a_line(study, copied, tmp_path):
    key, folder = study
    found, _ = read_annotations([jsonl(tmp_path / "x.jsonl", filled(folder))], key)
    with RunStore(copied("run")) as run:
        path = store(run, found)["annotator-1"]
    first = orjson.loads(path.read_bytes().splitlines()[0])
    assert {"annotator", "task", "barrier", "repeat", "question", "answer", "turn"} <= set(first)
