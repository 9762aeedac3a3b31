"""Several runs: the leaderboard, pairs with their tests, dialogue against none, by the command line."""

import json
from pathlib import Path

import pytest
from attrs import evolve

from adidem.core.domain import Judgement, Rating


@pytest.fixture
def worse(copied):
    """The run again with Integrity lost in every episode of two scenarios."""

    def lose(number, episode):
        if episode.scenario[-2:] not in ("00", "01"):
            return episode
        rated = (Judgement("integrity", (Rating("integrity", None, 0.0),)),)
        return evolve(episode, judgements=(*(j for j in episode.judgements if j.judge != "integrity"), *rated))

    return copied("worse", lose)


def test_pairs_as_json_by_hand(cli, played, worse):
    found = json.loads(cli("report", played, worse, "--compare", "--format", "json").stdout)
    assert [run["name"] for run in found["runs"]] == ["first", "worse"]
    integrity = next(c for c in found["comparisons"] if c["measure"] == "integrity")
    tests = integrity["found"]
    assert tests["difference"]["n"] == 64
    assert tests["mcnemar"]["gained"] == 0
    lost = tests["mcnemar"]["lost"]
    assert tests["difference"]["value"] == pytest.approx(-lost / 64)
    assert tests["sign_flip"] == {"p": 0.5, "exact": True, "clusters": 2}, "two clusters can have no smaller p"
    assert integrity["holm"] >= tests["sign_flip"]["p"]
    flips = found["flips"][0]["scenarios"]
    assert set(flips) <= {"meeting_place/test/00", "meeting_place/test/01"}
    assert all(gained == 0 and lost > 0 for gained, lost, _ in flips.values())


def test_turned_around_every_difference_changes_its_sign(cli, played, worse):
    there, back = (
        json.loads(cli("report", *runs, "--compare", "--format", "json").stdout)["comparisons"]
        for runs in ((played, worse), (worse, played))
    )
    for one, other in zip(there, back, strict=True):
        assert one["measure"] == other["measure"]
        assert one["found"]["difference"]["value"] == pytest.approx(-other["found"]["difference"]["value"])
        assert one["found"]["sign_flip"]["p"] == pytest.approx(other["found"]["sign_flip"]["p"])


@pytest.mark.parametrize("form", ["table", "md", "html"])
def test_every_format_shows_the_pairs(cli, played, worse, tmp_path, form):
    out = [] if form == "table" else ["--out", tmp_path / "x"]
    said = cli("report", played, worse, "--compare", "--format", form, *out).stdout
    text = said if form == "table" else (tmp_path / "x").read_text(encoding="utf-8")
    for wanted in ("Leaderboard", "Compared in pairs", "What changed, scenario by scenario", "worse − first", "Holm"):
        assert wanted in text


def test_a_leaderboard_has_the_best_first_and_names_what_differs(cli, played, worse, silent):
    shown = cli("report", worse, silent[0], played).stdout
    assert shown.index(" first ") < shown.index(" worse "), "wherever a narrow terminal breaks the line"
    assert "the runs differ in" in " ".join(shown.split())
    assert "dialogue" in shown


def test_dialogue_against_none_pairs_the_two_runs(cli, silent):
    shown = cli("report", *silent).stdout
    assert "Dialogue against no dialogue" in shown
    assert "talking − silent" in shown
    assert "Dialogue against no dialogue" not in cli("report", silent[1], silent[1]).stdout


def test_runs_of_one_name_are_told_apart(cli, played):
    found = json.loads(cli("report", played, played, "--compare", "--format", "json").stdout)
    names = [run["name"] for run in found["runs"]]
    assert len(set(names)) == 2
    assert all(c["found"]["difference"]["value"] == 0 for c in found["comparisons"])


def test_runs_that_share_nothing_say_so(cli, played, copied):
    other = copied("other", lambda _, episode: evolve(episode, repeat=episode.repeat + 100))
    assert "share no task" in " ".join(cli("report", played, other, "--compare").stdout.split())


def test_usage(cli, played):
    assert "needs two runs" in cli("report", played, "--compare", code=2).stderr
    assert "--summary is for --format csv" in cli("report", played, "--summary", code=2).stderr
    assert "tables are for the terminal" in cli("report", played, "--out", "x", code=2).stderr
    assert "no csv" in cli("report", played, played, "--compare", "--format", "csv", code=2).stderr


@pytest.mark.parametrize("long", [True, False])
def test_beside_a_plot_both_runs_of_a_pair_can_be_told_from_others(cli, played, copied, long):
    names = [f"{'a-run-with-a-rather-long-name-' if long else 'run-'}{n}" for n in (1, 10)]
    page = cli("report", *(copied(name) for name in names), "--compare", "--format", "html").stdout.strip()
    text = Path(page).read_text(encoding="utf-8")
    plot = text.partition('aria-label="Plot: Compared in pairs"')[2].partition("</svg>")[0]
    assert (">…10 − …1<" if long else ">run-10 − run-1<") in plot
