"""A training run without a store: its curves in every format, and what cannot be reported."""

import csv
import io
import json
import os

import pytest


@pytest.fixture
def trained(tmp_path):
    """The folder of a training run of fifty updates, the last line torn."""
    folder = tmp_path / "trained"
    folder.mkdir()
    lines = [{"update": n, "trainer": "x", "reward": n / 50, "kl": None if n == 3 else 0.001 * n} for n in range(1, 51)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"update": 51, "rew')
    (folder / "recipe.json").write_text('{"trainer": "pacpo <script>"}')
    return folder


def test_the_page_has_the_curves_and_the_recipe(cli, trained):
    path = cli("report", trained, "--format", "html").stdout.strip()
    text = (trained / "report.html").read_text(encoding="utf-8")
    assert path == f"{trained}/report.html"
    assert "Learning curves" in text
    assert "updates: 50" in text
    assert "pacpo &lt;script&gt;" in text
    assert text.count("<svg") == 1


def test_the_other_formats_have_the_updates(cli, trained):
    rows = list(csv.DictReader(io.StringIO(cli("report", trained, "--format", "csv").stdout)))
    assert len(rows) == 50
    assert (rows[2]["reward"], rows[2]["kl"]) == ("0.06", "")
    found = json.loads(cli("report", trained, "--format", "json").stdout)
    assert found["updates"][49]["reward"] == 1.0
    assert "| update | reward | kl |" in cli("report", trained, "--format", "md").stdout
    assert "updates: 50" in cli("report", trained).stdout


def test_what_a_recipe_is_good_for_is_said_and_no_command_is_promised(cli, trained):
    for text in (cli("report", trained, "--format", "md").stdout, page_of(cli, trained)):
        assert "is what adidem train TRAINER --recipe FILE takes" in text
        assert "The command, and the whole configuration" not in text


def test_a_table_of_very_many_figures_stands_in_blocks(cli, trained):
    lines = [json.dumps({"update": n, **{f"q{k:02}": k for k in range(18)}}) for n in range(1, 4)]
    (trained / "metrics.jsonl").write_text("\n".join(lines))
    text = cli("report", trained, "--format", "md").stdout
    heads = [line for line in text.splitlines() if line.startswith("| update |")]
    assert [head.count("|") - 2 for head in heads] == [9, 9]
    assert "evenly taken where there are many (2 of 2):" in text


def page_of(cli, run):
    cli("report", run, "--format", "html")
    return (run / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("wide", [80, 60, 160])
def test_on_the_terminal_every_name_is_whole_and_no_line_is_longer(cli, trained, monkeypatch, wide):
    """The state before the first update is none; credit and evaluation stand among what is drawn; what is not drawn is
    named in full."""
    names = ["reward", "credit/corr_phi_return", "credit/variance_left", "test/T=1/verified_success"]
    names += [f"figure_{place:02}" for place in range(14)]
    others = [f"seconds_{'of_something_' * 3}{place}" for place in range(30)]
    lines = [{"update": 0, "test/T=1/verified_success": 0.25}]
    lines += [{"update": n, **dict.fromkeys([*names, *others], -0.000012345 * n)} for n in range(1, 13)]
    lines[3]["nothing_learned"] = "every advantage is 0"
    (trained / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setenv("COLUMNS", str(wide))
    text = cli("report", trained).stdout
    assert max(map(len, text.splitlines())) <= wide
    assert "updates: 12; 0 is before the first" in text
    assert "updates in which nothing was learned: 1 (every advantage is 0)" in " ".join(text.split())
    drawn = {row.split()[0] for row in text.splitlines() if row.split()}
    assert set(names) <= drawn, "the rows of the table"
    assert text.split("update ")[1].split()[:1] == ["0"]
    assert set("".join(text.partition("not drawn: ")[2].split()).split(",")) == set(others)
    for format in ("md", "html"):
        assert (
            "updates: 12; 0 is before the first"
            in cli("report", trained, "--format", format, "--out", "r").stdout + (trained.parent / "r").read_text()
        )


def test_it_does_not_stand_beside_runs_that_were_played(cli, trained, played):
    assert "report it apart" in cli("report", trained, played, code=2).stderr


def test_before_the_first_update_there_is_nothing(cli, trained):
    (trained / "metrics.jsonl").write_text("")
    assert "no update is written yet" in cli("report", trained, "--format", "html", code=2).stderr


def test_a_run_whose_name_is_no_utf8_is_reported(cli, trained):
    folder = trained.parent / os.fsdecode(b"caf\xe9")
    trained.rename(folder)
    for format in ("json", "csv", "md", "table"):
        assert cli("report", folder, "--format", format).stdout
    assert json.loads(cli("report", folder, "--format", "json").stdout)["run"].endswith("caf\\xe9")
    assert cli("report", folder, "--format", "html").stdout.endswith("caf\\xe9/report.html\n")


def test_names_of_numbers_are_harmless_as_heads_of_columns(cli, trained):
    (trained / "metrics.jsonl").write_text(json.dumps({"update": 1, "=1+2": 3, "a\x1b[31mb\x07": 4}) + "\n")
    text = cli("report", trained, "--format", "csv").stdout
    assert text.splitlines()[0] == "run,'=1+2,ab,update"
    assert text.splitlines()[1].endswith(",3.0,4.0,1.0")


def test_lines_that_are_no_objects_count_as_broken(cli, trained):
    (trained / "metrics.jsonl").write_text('{"update": 1, "reward": 0.5}\n5\n[1]\nnull\n{"update": 2, "reward": 0.6}\n')
    assert "3 lines of metrics.jsonl could not be read" in cli("report", trained, "--format", "md").stdout
    assert len(json.loads(cli("report", trained, "--format", "json").stdout)["updates"]) == 2


@pytest.mark.parametrize("out", ["", ".", "/"])
def test_a_report_is_not_written_onto_a_folder(cli, trained, out):
    for format in ("html", "md", "csv", "json"):
        assert "is a folder; give a file" in cli("report", trained, "--format", format, "--out", out, code=2).output
