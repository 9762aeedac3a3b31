"""`adidem run multiwoz`: scripted pairs, a model at the desk with tools over HTTP, a model that calls, the sample."""

import json
from pathlib import Path

import pytest

from adidem.core.runs.store import RunStore
from adidem.plugins.families.multiwoz import OWN
from stub_endpoint import Calls

ROOT = Path(__file__).parents[3] / "shared" / "data" / "multiwoz"
needs_sample = pytest.mark.skipif(not ROOT.exists(), reason=f"the MultiWOZ sample is not at {ROOT}")
MEASURES = ("multiwoz.inform", "multiwoz.success", "multiwoz.communication")


def last(result):
    return json.loads(result.stdout.splitlines()[-1])


def means(done):
    return [done["metrics"][name]["value"] for name in MEASURES]


def episodes(folder):
    with RunStore(folder) as store:
        return {episode.scenario: episode for episode in store.episodes()}


@pytest.fixture
def model(stub, monkeypatch):
    """The words that put the stub into the tested seat."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return "--agent", "openai/stub", "--api-base", stub.url, "--set", "llm.attempts=1", "--json"


@pytest.mark.parametrize("manner", ["candid", "guarded"])
def test_the_scripted_desk_serves_every_caller(cli, tmp_path, manner):
    done = last(cli("run", "multiwoz", "--agent", f"scripted:{manner}", "--out", "run", "--json"))
    assert done["episodes"] == {"scored": 7, "failed": 0, "owed": 0}
    assert done["evidence"] == "mechanism"
    assert means(done) == [1, 1, 1]
    found = episodes(tmp_path / "run")
    assert all(e.opener == "first" and e.turns[0].seat == "first" and e.ended == "left" for e in found.values())
    calls = [call.name for e in found.values() for turn in e.turns for call in turn.calls]
    assert {"find_restaurant", "book_restaurant", "book_train", "book_taxi", "find_police"} <= set(calls)
    assert not any(turn.calls for e in found.values() for turn in e.turns if turn.seat == "first")


def test_who_looks_nothing_up_informs_nobody_that_did_not_know_the_name(cli, tmp_path):
    cli("run", "multiwoz", "--agent", "scripted:agreeable", "--out", "run", "--json")
    informed = {s: e.judgements[0].score("inform") for s, e in episodes(tmp_path / "run").items()}
    by_name_or_none = {"multiwoz/test/04", "multiwoz/test/05"}  # a hotel by its name; hospital and police
    assert {s for s, score in informed.items() if score} == by_name_or_none
    assert all(e.judgements[0].score("success") == 0 for e in episodes(tmp_path / "run").values())


@pytest.mark.parametrize("manner", ["candid", "guarded"])
def test_the_caller_may_be_the_one_tested(cli, tmp_path, manner):
    first = "--set", "suites.multiwoz.seats=first"
    done = last(cli("run", "multiwoz", "--agent", f"scripted:{manner}", *first, "--out", "run", "--json"))
    assert means(done) == [1, 1, 1]
    assert {e.seat for e in episodes(tmp_path / "run").values()} == {"first"}


def test_a_model_at_the_desk_calls_tools_and_the_caller_never_sees_them(cli, model, stub, tmp_path):
    """OWN0001: an italian place in the centre, its phone and address."""

    def answer(body):
        *_, said = body["messages"]
        if said["role"] == "tool":
            venue = json.loads(said["content"])["venues"][0]
            return f"{venue['name'].title()} is at {venue['address']}, telephone {venue['phone']}."
        return Calls((("find_restaurant", {"food": "italian", "area": "centre"}),))

    stub.answer = answer
    done = last(cli("run", "multiwoz", *model, "--limit", 1, "--out", "run"))
    assert means(done) == [1, 1, 1]
    (episode,) = episodes(tmp_path / "run").values()
    desk = [turn for turn in episode.turns if turn.seat == "second"]
    assert all([call.name for call in turn.calls] == ["find_restaurant"] for turn in desk)
    assert desk[0].calls[0].result["venues"][0]["name"] == "nonna's table"
    assert "find_restaurant" not in " ".join(turn.text for turn in episode.turns)
    assert {tool["function"]["name"] for tool in stub.bodies[0]["tools"]} >= {"find_restaurant", "book_taxi"}
    assert episode.usage["agent"].calls == len(stub.bodies) == 2 * len(desk)
    goal = OWN.read_text().splitlines()[0]
    assert "Make sure you get" in goal
    assert all("Make sure you get" not in str(body["messages"]) for body in stub.bodies), "the goal is the caller's"


def test_an_estimate_counts_two_calls_a_turn_where_there_are_tools(cli, model, stub):
    def calls(*more):
        return int(cli("run", "multiwoz", *model[:-1], "--dry-run", *more).stdout.split(" calls,")[0].split()[-1])

    assert calls("--limit", 1) == 2 * 15
    assert calls("--limit", 1, "--set", "suites.multiwoz.seats=first") == 15
    assert stub.bodies == []


def test_a_model_that_invents_a_place_informs_nobody(cli, model, stub):
    stub.answer = lambda _body: "Go to Luigi's Palace at 1 Bell Yard, telephone 01555 999999."
    done = last(cli("run", "multiwoz", *model, "--limit", 1))
    assert means(done)[:2] == [0, 0]


def test_a_model_that_calls_has_the_goal_in_its_prompt_and_no_tools(cli, model, stub, tmp_path):
    stub.answer = lambda _body: "I need a restaurant, serving italian food, in the centre of town. [END]"
    first = "--set", "suites.multiwoz.seats=first"
    done = last(cli("run", "multiwoz", *model, *first, "--limit", 1, "--out", "run"))
    assert done["episodes"]["scored"] == 1
    (body,) = stub.bodies
    assert "tools" not in body
    assert "Make sure you get phone number and address" in body["messages"][0]["content"]


def test_a_run_is_resumed_and_told_the_same(cli, tmp_path):
    cli("run", "multiwoz", "--out", "run", "--json")
    before = episodes(tmp_path / "run")
    cli("run", "multiwoz", "--out", "run", "--resume", "--json")
    after = episodes(tmp_path / "run")
    assert [(e.task, e.turns) for e in before.values()] == [(e.task, e.turns) for e in after.values()]


def test_faults_of_data_are_named(cli, tmp_path):
    (tmp_path / "bad.json").write_text('{\n"A1": {"goal": {"hotel": {"info": {}}}, "log": 3}\n}')
    assert "bad.json" in cli("run", "multiwoz", "--set", "suites.multiwoz.data=bad.json", code=2).stderr
    (tmp_path / "ids.txt").write_text("NOBODY1")
    ids = "--set", "families.multiwoz.ids=ids.txt"
    assert "nobody1" in cli("run", "multiwoz", *ids, code=2).stderr.lower()
    db = "--set", "families.multiwoz.db=nowhere"
    assert "holds no database" in cli("run", "multiwoz", *db, code=2).stderr


@needs_sample
def test_the_sample_is_played_with_its_databases(cli, tmp_path):
    data = "--set", f"suites.multiwoz.data={ROOT}"
    done = last(cli("run", "multiwoz", *data, "--out", "run", "--json"))
    assert done["episodes"] == {"scored": 20, "failed": 0, "owed": 0}
    assert means(done) == [1, 1, 1]
    (tmp_path / "ids.txt").write_text("SNG0694.json\nMUL1603\n")
    done = last(cli("run", "multiwoz", *data, "--set", "families.multiwoz.ids=ids.txt", "--json"))
    assert done["episodes"]["scored"] == 2
