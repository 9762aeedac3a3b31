"""`adidem run` with a model behind a real HTTP endpoint: the whole path, a server that dies midway, and resumption."""

import json
import sqlite3
import zlib

import pytest
from attrs import evolve

from adidem.core.runs.store import RunStore
from stub_endpoint import Fault

OWN = "--set", "llm.attempts=1", "--set", "llm.timeout=10"


def answering(body):
    """A model that says one thing and records the plan it said."""
    if "response_format" in body:
        return {"outcome": "agree", "terms": {"place": "the park"}}
    return "How about meeting at the park?"


@pytest.fixture
def model(stub, meeting, monkeypatch):
    """The words that play the one-file family with the stub as agent."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    stub.answer = answering
    return *meeting, "--agent", "openai/stub", "--api-base", stub.url, *OWN


def last(result):
    return json.loads(result.stdout.splitlines()[-1])


def test_a_model_is_played_scored_and_counted(cli, model, stub, tmp_path):
    done = last(cli("run", "hico", *model, "--out", "run", "--limit", 4, "--json"))
    assert done["episodes"] == {"scored": 4, "failed": 0, "owed": 0}
    with RunStore(tmp_path / "run") as store:
        episodes = list(store.episodes())
    usage = [e.usage["agent"] for e in episodes]
    assert sum(u.calls for u in usage) == len(stub.bodies)
    assert all(u.prompt_tokens > 0 for u in usage)
    report = json.loads(cli("report", "run", "--format", "json").stdout)
    assert report["usage"]["calls"] == len(stub.bodies)


def test_the_model_is_shown_its_own_card_and_nothing_of_the_other(cli, model, stub, tmp_path):
    cli("run", "hico", *model, "--partner", "scripted:agreeable", "--out", "run", "--json")
    with RunStore(tmp_path / "run") as store:
        scenarios = {s.setting: s for s in store.scenarios()}
    for body in stub.bodies:
        system = body["messages"][0]["content"]
        found = [s for s in scenarios.values() if f"You are {s.public.names[0]}" in system] + [
            s for s in scenarios.values() if f"You are {s.public.names[1]}" in system
        ]
        assert found
        shown = [c.text for s in scenarios.values() for c in (*s.a, *s.b) if c.text in system]
        assert len(set(shown)) == 1, "one card's one sentence, of one world"


def test_a_server_that_dies_midway_fails_some_and_resume_completes_them(cli, model, stub, tmp_path):
    stub.dies_after = 20
    one_at_a_time = "--concurrency", 1
    broken = cli("run", "hico", *model, *one_at_a_time, "--out", "run", "--json", code=1)
    counts = last(broken)["episodes"]
    assert counts["scored"] > 0
    assert counts["failed"] > 0
    assert counts["scored"] + counts["failed"] == 16
    assert counts["owed"] == counts["failed"]
    (failure,) = last(broken)["failures"]
    assert (failure["cause"], failure["count"]) == ("connection", counts["failed"])
    assert failure["message"]
    with RunStore(tmp_path / "run") as store:
        before = {e.task: e for e in store.episodes()}
    assert all(e.cause.kind == "connection" for e in before.values() if e.status == "failed")

    stub.dies_after = None
    stub.start(stub.port)
    done = last(cli("run", "hico", *model, *one_at_a_time, "--out", "run", "--resume", "--json"))
    assert done["episodes"] == {"scored": 16, "failed": 0, "owed": 0}
    with RunStore(tmp_path / "run") as store:
        after = {e.task: e for e in store.episodes()}
    assert all(after[task] == e for task, e in before.items() if e.status == "scored"), "nothing is played twice"


def test_both_transports_play_the_same_episodes(cli, model, stub, tmp_path):
    found = []
    for way in ("auto", "litellm"):
        cli("run", "hico", *model, "--limit", 4, "--set", f"llm.transport={way}", "--out", way, "--json")
        with RunStore(tmp_path / way) as store:
            found.append(
                [evolve(e, seconds={}, turns=[evolve(t, seconds=0) for t in e.turns]) for e in store.episodes()]
            )
    assert found[0] == found[1]
    agents = {headers["user-agent"].partition("/")[0] for headers in stub.headers}
    assert agents == {"adidem", "AsyncOpenAI"}


def test_self_play_seats_the_model_twice_with_two_histories(cli, model, stub):
    cli("run", "hico", *model, "--partner", "self", "--limit", 1, "--turns", 4, "--json")
    systems = {body["messages"][0]["content"] for body in stub.bodies}
    assert len(systems) == 2


def test_a_model_without_a_key_is_refused_before_anything_is_written(cli, meeting, monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    error = cli("run", "hico", *meeting, "--agent", "openai/gpt-5-mini", code=2).stderr
    assert "OPENAI_API_KEY" in error
    assert list(tmp_path.iterdir()) == []


def packed(file):
    """What is compressed in a store, as it was before."""
    with sqlite3.connect(file) as db:
        return [zlib.decompress(data) for (data,) in db.execute("SELECT data FROM episodes").fetchall()]


def test_planted_keys_are_written_nowhere_not_even_when_the_endpoint_says_them(cli, model, stub, monkeypatch, tmp_path):
    """Keys of the agent and of the judge (whose variable does not say that it holds one), echoed in errors: looked for
    in every file, in what is packed in a store too, and on every stream."""
    agent, judge = "sk-planted-" + "7" * 24, "0123planted" + "8" * 24
    monkeypatch.setenv("OPENAI_API_KEY", agent)
    monkeypatch.setenv("JUDGES_OWN", judge)
    monkeypatch.setenv("ADIDEM_CACHE", str(tmp_path / "cache"))
    echoed = f"Incorrect API key provided: {agent} or {judge}; Authorization: Bearer {agent}"
    stub.faults = [Fault("401", text=echoed), None, Fault("500", text=echoed), Fault("429", text=echoed)] * 9
    judging = "--judge", "openai/judge", "--set", f"judge.api_base={stub.url}", "--set", "judge.api_key_env=JUDGES_OWN"
    said = [cli("run", "hico", *model, *judging, "--out", "run", "--limit", 8, code=1)]
    said += [cli("report", "run", "--format", form) for form in ("table", "md", "csv", "json", "html")]
    written = packed(tmp_path / "run" / "run.sqlite")  # the failed episodes, before others take their place
    assert any(b"Incorrect API key provided" in content for content in written)
    stub.faults = ()
    said.append(cli("run", "hico", *model, *judging, "--out", "run", "--limit", 8, "--resume", "--json"))
    bad = "--api-base", "http://me:hunter2word@127.0.0.1:1/v1"
    said.append(cli("run", "hico", *model, *bad, "--out", "other", code=2))

    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert {"run.sqlite", "config.yaml", "answers.sqlite"} <= {p.name for p in files}
    written += packed(tmp_path / "run" / "run.sqlite") + [p.read_bytes() for p in files]
    written += [(each.stdout + each.stderr).encode() for each in said]
    for secret in (agent, judge, "7" * 12, "8" * 12, "hunter2word"):
        assert not any(secret.encode() in content for content in written), secret
    assert {h["authorization"] for h in stub.headers} == {f"Bearer {agent}", f"Bearer {judge}"}
