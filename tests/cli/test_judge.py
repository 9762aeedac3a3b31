"""`adidem judge`: stored episodes rated again, without playing; several judges side by side; resumable."""

import json

import pytest
from attrs import evolve

from adidem.core.runs.store import RunStore
from stub_endpoint import Fault


@pytest.fixture
def played(cli, meeting):
    """A stored run of the one-file family."""
    cli("run", "hico", *meeting, "--agent", "scripted:agreeable", "--out", "run", "--json")
    return "run", *meeting[:2]


def last(result):
    return json.loads(result.stdout.splitlines()[-1])


def turns(folder):
    with RunStore(folder) as store:
        return [e.turns for e in store.episodes()]


def test_a_run_is_rated_again_without_being_played(cli, played, tmp_path):
    before = turns(tmp_path / "run")
    metrics = last(cli("judge", *played, "--judge", "scripted:judge", "--json"))["metrics"]
    assert metrics["sotopia.goal"]["n"] == 16
    assert metrics["sotopia.goal.partner"]["n"] == 16
    assert turns(tmp_path / "run") == before
    report = json.loads(cli("report", "run", "--format", "json").stdout)
    assert report["judges"]["sotopia"]["spec"] == "scripted:judge"
    assert report["high_goal_failure"]["n"] > 0
    assert report["evidence"] == "mechanism"


def test_the_rules_decide_over_a_scripted_judge(cli, played):
    with_rules = json.loads(cli("report", "run", "--format", "json").stdout)
    cli("judge", *played, "--judge", "scripted:judge", "--json")
    after = json.loads(cli("report", "run", "--format", "json").stdout)
    assert after["metrics"]["verified_success"] == with_rules["metrics"]["verified_success"]
    assert [pair["judges"] for pair in after["integrity_agreement"]] == [["integrity", "integrity_rules"]]


def test_an_interrupted_rating_goes_on_where_it_stopped(cli, played, tmp_path):
    cli("judge", *played, "--judge", "scripted:judge", "--only", "sotopia", "--json")
    with RunStore(tmp_path / "run", write=True) as store:
        for episode in list(store.episodes()):
            if episode.world == "b":
                rest = tuple(j for j in episode.judgements if j.judge != "sotopia")
                store.add(evolve(episode, judgements=rest))
    metrics = last(cli("judge", *played, "--judge", "scripted:judge", "--only", "sotopia", "--json"))["metrics"]
    assert metrics["sotopia.goal"]["n"] == 16
    with RunStore(tmp_path / "run") as store:
        for episode in store.episodes():
            assert [j.judge for j in episode.judgements].count("sotopia") == 1


def test_a_second_spec_of_a_judge_stands_beside_the_first(cli, played, stub, monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.answer = lambda _body: {"reasoning": "", "violations": []}
    cli("judge", *played, "--judge", "scripted:judge", "--only", "integrity", "--json")
    cli(
        "judge",
        *played,
        "--judge",
        "openai/stub",
        "--set",
        f"judge.api_base={stub.url}",
        "--only",
        "integrity",
        "--json",
    )
    with RunStore(tmp_path / "run") as store:
        assert store.get("judges")["integrity@openai/stub"] == "openai/stub"
        assert {r["judge"] for r in store.ratings()} >= {"integrity", "integrity@openai/stub"}


def test_what_got_no_answer_is_asked_again_and_nothing_else(cli, played, stub, monkeypatch, tmp_path):
    """The endpoint refuses the first nine calls; ratings of the others are not asked for twice."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.answer = lambda _body: {"reasoning": "", "violations": []}
    stub.faults = [Fault("401")] * 9
    words = "--judge", "openai/stub", "--only", "integrity", "--set", f"judge.api_base={stub.url}"
    words = *words, "--set", "llm.attempts=1"
    told = cli("judge", *played, *words, code=1).stderr
    assert "9 episodes got no answer and stay owed; the same command asks again; most often (9): authentication" in told
    before = json.loads(cli("report", "run", "--format", "json").stdout)
    assert before["metrics"]["integrity"]["unscored"] == 9
    asked = len(stub.bodies)
    again = cli("judge", *played, *words)
    assert "9 episodes rated by integrity" in again.stderr
    assert len(stub.bodies) == asked + 9
    found = json.loads(cli("report", "run", "--format", "json").stdout)
    assert found["metrics"]["integrity"]["n"] == 16
    assert found["judges"]["integrity"]["unscored"] == 0
    assert found["judges"]["integrity"]["calls"] == 16 + 9, "what was asked in vain was asked"
    assert "nothing was owed" in cli("judge", *played, *words).stderr
    with RunStore(tmp_path / "run") as store:
        assert all([j.judge for j in e.judgements].count("integrity") == 1 for e in store.episodes())


def test_an_interrupt_keeps_what_is_rated_and_says_how_to_go_on(cli, played, monkeypatch, tmp_path):
    store = RunStore.add
    rated = []

    def add(self, episode):
        if len(rated) == 5:
            raise KeyboardInterrupt
        rated.append(episode)
        return store(self, episode)

    monkeypatch.setattr(RunStore, "add", add)
    words = "--judge", "scripted:judge", "--only", "sotopia"
    said = cli("judge", *played, *words, "--concurrency", 1, code=130)
    assert "interrupted; what is rated is kept, and the same command goes on" in said.stderr
    monkeypatch.setattr(RunStore, "add", store)
    assert "11 episodes rated by sotopia" in cli("judge", *played, *words).stderr


def test_an_answer_that_cannot_be_used_is_not_asked_for_again(cli, played, stub, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.answer = lambda _body: "no JSON at all"
    words = "--judge", "openai/stub", "--only", "integrity", "--set", f"judge.api_base={stub.url}"
    told = cli("judge", *played, *words, "--json", code=1).stderr
    assert "16 episodes put to integrity, none rated: 16 of 16 ratings unscored, most often (16): malformed: " in told
    assert "nothing was owed" in cli("judge", *played, *words).stderr


def test_how_many_are_unscored_is_said(cli, played, stub, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    seen = []

    def answer(_body):
        seen.append(1)
        return "no JSON at all" if len(seen) <= 3 else {"reasoning": "", "violations": []}

    stub.answer = answer
    words = "--judge", "openai/stub", "--only", "integrity", "--set", f"judge.api_base={stub.url}"
    told = cli("judge", *played, *words, "--set", "llm.attempts=1", "--json", "--concurrency", 1).stderr
    unscored = json.loads(cli("report", "run", "--format", "json").stdout)["judges"]["integrity"]["unscored"]
    assert 1 <= unscored <= 3
    assert (
        f"16 episodes put to integrity: {unscored} of 16 ratings unscored, most often ({unscored}): malformed" in told
    )


def test_a_model_asked_after_a_scripted_judge_decides(cli, played, stub, monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with RunStore(tmp_path / "run") as store:
        first = {e.key: e.turns[0] for e in store.episodes()}

    def convict(body):
        text = body["messages"][-1]["content"]
        turn = next(turn for turn in first.values() if turn.text in text)
        schema = body["response_format"]["json_schema"]["schema"]
        role = schema["properties"]["violations"]["items"]["properties"]["role"]["enum"][0]
        flag = {"kind": "factual_error", "role": role, "turn": 1, "quote": turn.text, "reason": "made up"}
        return {"reasoning": "", "violations": [flag]}

    stub.answer = convict
    cli("judge", *played, "--judge", "scripted:judge", "--only", "integrity", "--json")
    endpoint = "--set", f"judge.api_base={stub.url}"
    cli("judge", *played, "--judge", "openai/stub", *endpoint, "--only", "integrity", "--json")
    found = json.loads(cli("report", "run", "--format", "json").stdout)
    assert found["metrics"]["integrity.integrity"]["value"] == 1.0
    assert found["metrics"]["integrity"]["value"] == 0.0
    assert found["metrics"]["verified_success"]["value"] == 0.0
    assert "Integrity is the verdict of integrity@openai/stub" in cli("report", "run").stdout


def test_a_rule_judge_may_be_asked_by_name(cli, played, tmp_path):
    cli("judge", *played, "--judge", "integrity_rules", "--json")
    with RunStore(tmp_path / "run") as store:
        for episode in store.episodes():
            assert [j.judge for j in episode.judgements].count("integrity_rules") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give at least one --judge SPEC"),
        (["--judge", "scripted:juge"], "scripted:juge"),
        (["--judge", "integrity_rule"], "integrity_rule"),
        (["--judge", "scripted:judge", "--only", "sotopa"], "did you mean 'sotopia'?"),
    ],
)
def test_bad_input_is_one_line(words, said, cli, played):
    error = cli("judge", *played, *words, code=2).stderr
    assert said in error.splitlines()[-1]


def test_a_run_may_be_judged_as_it_is_played(cli, meeting):
    done = last(cli("run", "hico", *meeting, "--judge", "scripted:judge", "--out", "run", "--json"))
    assert done["metrics"]["sotopia.overall"]["n"] == 16
    assert done["metrics"]["integrity.integrity"]["n"] == 16
