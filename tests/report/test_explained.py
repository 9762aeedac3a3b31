"""Reports say what was recorded and what ratings mean, and keep what others made of the tasks apart."""

import csv
import io
import json

import pytest

from adidem.core.domain import Dimension
from adidem.core.errors import ConfigError
from adidem.core.play import JudgeSeat
from adidem.core.rules import Rules
from adidem.core.runs.about import about_of, baselines_of
from adidem.core.runs.store import RunStore
from command_line import called

HUMAN = "negotiation.human_surplus"


def played(folder, *words):
    called("run", *words, "--out", folder, "--json")
    return folder


@pytest.fixture(scope="module")
def casino(tmp_path_factory):
    return played(tmp_path_factory.mktemp("casino") / "camp", "casino", "--limit", "4")


@pytest.fixture(scope="module")
def multiwoz(tmp_path_factory):
    return played(tmp_path_factory.mktemp("multiwoz") / "desk", "multiwoz", "--limit", "2")


@pytest.fixture(autouse=True)
def _narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def table(cli, folder):
    return cli("report", folder).stdout


def test_the_terminal_says_what_is_recorded_and_what_a_rating_means(cli, casino):
    said = table(cli, casino)
    assert max(map(len, said.splitlines())) <= 80
    words = " ".join(said.split())
    assert "Each then records the split alone" in words
    assert "5 points of walking away, the disagreement point" in words
    assert "negotiation.agreement 1: both recorded the same deal; the mean is the agreement rate" in words
    assert "Integrity, and so Verified Success, is unscored: no judge of it sat in this run" in words


def test_one_world_has_no_row_of_its_own_and_no_pair(cli, casino):
    said = table(cli, casino)
    assert "world a" not in said
    assert "due:" not in said
    assert "both worlds" not in said


def test_people_stand_apart_from_the_agents(cli, casino):
    said = table(cli, casino)
    ratings, baseline = said.split("baseline: others on the same tasks")
    assert HUMAN not in ratings
    assert HUMAN in baseline
    data = json.loads(cli("report", casino, "--format", "json").stdout)
    assert data["baselines"] == [HUMAN]
    assert HUMAN in data["metrics"]
    rows = list(csv.DictReader(io.StringIO(cli("report", casino, "--format", "csv", "--summary").stdout)))
    assert [row["group"] for row in rows if row["measure"] == HUMAN] == ["baseline"]


def test_markdown_and_the_page_explain_too(cli, casino, tmp_path):
    said = cli("report", casino, "--format", "md").stdout
    cli("report", casino, "--format", "html", "--out", "page.html")
    page = (tmp_path / "page.html").read_text()
    for text in (said, page):
        assert "Each then records the split alone" in text
        assert "the mean is the agreement rate" in text
        assert "baseline: what others made of the same tasks" in text
        for title in (
            "Feasibility × Integrity",
            "By family, world and right outcome",
            "Ratings against Verified Success",
        ):
            assert title not in text
    means = said.split("means with 95 % intervals:")[1].split("baseline:")[0]
    assert HUMAN not in means


def test_a_family_without_records_says_so(cli, multiwoz):
    words = " ".join(table(cli, multiwoz).split())
    assert "Nothing is recorded, so nothing is verified" in words
    assert "multiwoz.inform 1: what the desk had on offer matches the goal in every domain" in words
    assert "verified in both worlds" not in words


def test_several_runs_show_their_ratings_and_compare_no_baseline(cli, casino, tmp_path):
    other = played(tmp_path / "other", "casino", "--limit", "4", "--agent", "scripted:agreeable")
    said = cli("report", casino, other, "--compare").stdout
    assert "negotiation.nash_surplus" in said.split("Compared")[0]
    assert HUMAN in said.split("Compared")[0]
    assert HUMAN not in said.split("Compared")[1]


def test_a_run_from_before_is_reported_without_explanations(cli, casino, tmp_path):
    with RunStore(casino) as old, RunStore(tmp_path / "old", write=True) as new:
        new.begin(old.get("config"), list(old.scenarios()), old.get("planned"))
        new.put("judges", old.get("judges"))
        for episode in old.episodes():
            new.add(episode)
    said = table(cli, "old")
    assert "negotiation.agreement" in said
    assert "what the ratings mean" not in said


def test_what_a_store_says_of_itself_is_only_text(cli, casino, tmp_path):
    with RunStore(casino) as old, RunStore(tmp_path / "own", write=True) as new:
        new.begin(old.get("config"), list(old.scenarios()), old.get("planned"))
        new.put("about", {"casino": "[red]x[/red] \x1b[31m", "negotiation.pareto": 7})
        for episode in old.episodes():
            new.add(episode)
    said = table(cli, "own")
    assert "casino: [red]x[/red]" in said
    assert "\x1b" not in said


def test_judging_again_brings_its_explanations(cli, tmp_path):
    played(tmp_path / "again", "hico", "--limit", "2")
    cli("judge", "again", "--judge", "scripted:judge", "--only", "sotopia")
    assert "sotopia.goal" in table(cli, "again").split("what the ratings mean")[1]


def test_a_family_that_cannot_say_what_it_is_about_is_named():
    class Broken:
        name = "broken"

        @property
        def about(self):
            raise RuntimeError("no words")

    with pytest.raises(ConfigError, match=r"family 'broken'.*no words"):
        about_of({"broken": Rules(Broken(), ())}, [])


def test_a_rating_by_several_models_is_explained_once():
    class Twice:
        name = "twice"
        dimensions = (Dimension("deep", 0, 1, about="how deep"), Dimension("plain", 0, 1))

    seats = [JudgeSeat("twice", Twice()), JudgeSeat("twice@a.b/c", Twice())]
    assert about_of({}, seats) == {"twice.deep": "how deep"}
    assert baselines_of(seats) == []
