"""`adidem run casino`: scripted pairs, a model through HTTP, and the data set where it is present."""

import json
from pathlib import Path

import pytest

from adidem.core.runs.store import RunStore
from adidem.plugins.families.casino import OWN

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "casino" / "casino_valid.json"
needs_sample = pytest.mark.skipif(not SAMPLE.exists(), reason=f"the CaSiNo sample is not at {SAMPLE}")


def last(result):
    return json.loads(result.stdout.splitlines()[-1])


def means(done):
    return {name: estimate["value"] for name, estimate in done["metrics"].items()}


@pytest.mark.parametrize("manner", ["candid", "guarded"])
def test_scripted_campers_find_the_best_deal_for_both(cli, manner):
    done = last(cli("run", "casino", "--agent", f"scripted:{manner}", "--json"))
    assert done["episodes"] == {"scored": 16, "failed": 0, "owed": 0}
    assert done["evidence"] == "mechanism"
    found = means(done)
    assert found["feasibility"] == found["negotiation.agreement"] == found["negotiation.pareto"] == 1
    assert found["negotiation.nash_surplus"] == 1
    assert found["negotiation.human_surplus"] == pytest.approx(0.8288, abs=1e-4)


def test_who_agrees_to_anything_gives_it_all_away_or_takes_it_all(cli):
    found = means(last(cli("run", "casino", "--agent", "scripted:agreeable", "--json")))
    assert found["negotiation.agreement"] == 1
    assert found["feasibility"] == found["negotiation.nash_surplus"] == 0


def test_a_model_negotiates_and_its_deal_is_measured(cli, stub, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    shares = {"firewood": (1, 2), "food": (2, 1), "water": (2, 1)}
    said = "I take 1 firewood, 2 food and 2 water, and you take the rest."

    def answer(body):
        if "response_format" not in body:
            return said
        names = body["response_format"]["json_schema"]["schema"]["properties"]["terms"]["anyOf"][0]["properties"]
        people = list(names["food"]["properties"])
        me = people.index(body["messages"][0]["content"].split("You are ", 1)[1].split(",", 1)[0])
        terms = {item: {people[me]: pair[0], people[1 - me]: pair[1]} for item, pair in shares.items()}
        return {"outcome": "agree", "terms": terms}

    stub.answer = answer
    own = "--agent", "openai/stub", "--api-base", stub.url, "--set", "llm.attempts=1"
    done = last(cli("run", "casino", *own, "--out", "run", "--limit", 4, "--json"))
    assert done["episodes"]["scored"] == 4
    with RunStore(tmp_path / "run") as store:
        scenarios = {s.id: s for s in store.scenarios()}
        for episode in store.episodes():
            world = scenarios[episode.scenario].worlds[0]
            mine = episode.records[episode.seat].terms
            name = world.public.name(episode.seat)
            assert {item: mine[item][name] for item in mine} == {"firewood": 1, "food": 2, "water": 2}
            (judgement,) = [j for j in episode.judgements if j.judge == "negotiation"]
            worth = world.of(episode.seat, "values")
            if judgement.score("agreement"):
                got = worth["firewood"] + 2 * worth["food"] + 2 * worth["water"]
                assert judgement.score("points", episode.seat) == got
            else:
                assert judgement.score("points", episode.seat) == 5
    cards = [body["messages"][0]["content"] for body in stub.bodies]
    assert all("matters most to me" in card and "dialogue_id" not in card for card in cards)


def test_there_is_no_pair_to_certify_and_the_world_is_shown(cli):
    assert "has one world alone" in cli("scenarios", "certify", "--family", "casino", code=2).stderr
    shown = cli("scenarios", "show", "casino/test/00").stdout
    assert "one world alone" in shown


def test_a_bad_line_of_the_data_is_named(cli, tmp_path):
    lines = OWN.read_text().splitlines()
    (tmp_path / "mine.jsonl").write_text(lines[0] + "\n" + lines[1].replace("value2issue", "value"))
    done = cli("run", "casino", "--set", "suites.casino.data=mine.jsonl", code=2)
    assert "mine.jsonl:2: `value2issue` of mturk_agent_1" in done.stderr


@needs_sample
def test_the_sample_is_played_with_a_selection(cli):
    chosen = "--set", f"suites.casino.data={SAMPLE}", "--set", "families.casino.max_logs=16"
    done = last(cli("run", "casino", *chosen, "--json"))
    assert done["episodes"] == {"scored": 54, "failed": 0, "owed": 0}
    assert means(done)["negotiation.human_surplus"] > 0.9


def test_a_folder_without_the_split_says_which_it_has(cli, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "casino_valid.json").write_text(OWN.read_text())
    told = ["run", "casino", "--set", f"suites.casino.data={folder}"]
    said = " ".join(cli(*told, "--out", "none", code=2).stderr.split())
    assert "in split 'test'; it holds 8 in 'dev' (--split dev)" in said
    assert json.loads(cli(*told, "--split", "dev", "--json", "--out", "run").stdout)["episodes"]["scored"] == 16
