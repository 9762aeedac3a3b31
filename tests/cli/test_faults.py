"""240 tasks through an endpoint that is broken in 30 of 100 replies: nothing is lost, nothing is made up, every failure
has its true cause, and a resumed run completes what is owed."""

import json
from collections import Counter
from random import Random

import pytest
from attrs import evolve

from adidem.core.runs.store import RunStore
from stub_endpoint import Fault

CAUSES = {
    "429": "rate_limit",
    "500": "server_error",
    "503": "overload",
    "hang": "timeout",
    "reset": "connection",
    "reset_body": "connection",
    "truncated": "malformed",
    "not_json": "malformed",
    "bad_utf8": "malformed",
    "enormous": "malformed",
    "empty": "empty",
    "length": "empty",
    "content_filter": "content_filter",
    "refusal": "content_filter",
}
"""What each fault is to be called; the rest (slow, wrong_type, unknown_fields, no_usage) are no failures at all."""

KINDS = (
    *(Fault(kind) for kind in CAUSES if kind not in ("429", "length")),
    Fault("429"),
    Fault("429", retry_after=0.05),
    Fault("length", text=""),
    Fault("slow", seconds=0.1),
    Fault("wrong_type"),
    Fault("unknown_fields"),
    Fault("no_usage"),
)
SAYINGS = ("Could we settle this?", "What would suit you?", "I have some limits myself.", "Let us be precise, please.")


def plan(seed, share=0.3):
    """Faults without end, by chance but the same every time."""
    rng = Random(seed)
    while True:
        yield rng.choice(KINDS) if rng.random() < share else None


def answering(body):
    """What a model says: a function of what it was told, and of nothing else."""
    if "response_format" in body:
        return {"outcome": "decline", "terms": None}
    return SAYINGS[len(body["messages"][-1]["content"]) % len(SAYINGS)]


@pytest.fixture
def model(stub, monkeypatch):
    """The words that play the 240 test tasks with the stub as agent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.answer = answering
    quick = "--set", "llm.timeout=3", "--turns", 6, "--concurrency", 32
    return "run", "hico", "--agent", "openai/stub", "--api-base", stub.url, *quick, "--json"


def told(result):
    return json.loads(result.stdout.splitlines()[-1])["episodes"]


def played(folder):
    """Every scored episode, what differs from time to time left out, and every failed one."""
    with RunStore(folder) as store:
        every = list(store.episodes())
    spent = {"seconds": 0.0, "prompt_tokens": 0, "completion_tokens": 0}  # failed tries are paid for too
    bare = [evolve(e, seconds={}, usage={}, turns=tuple(evolve(t, **spent) for t in e.turns)) for e in every]
    return {e.task: e for e in bare if e.status == "scored"}, [e for e in every if e.status == "failed"]


def test_every_episode_ends_with_its_score_or_its_true_cause_and_resume_completes_the_rest(cli, model, stub, tmp_path):
    assert told(cli(*model, "--out", "whole")) == {"scored": 240, "failed": 0, "owed": 0}
    whole, _ = played(tmp_path / "whole")

    stub.bodies, stub.served = [], []
    stub.faults = plan(11)
    counts = told(cli(*model, "--out", "run", code=1))
    scored, failed = played(tmp_path / "run")
    assert (len(scored), len(failed)) == (counts["scored"], counts["failed"])
    assert counts["scored"] + counts["failed"] == 240
    assert counts["owed"] == counts["failed"]
    assert counts["scored"] > 120
    assert counts["failed"] > 3
    assert [task for task, episode in scored.items() if whole[task] != episode] == []

    served = Counter(CAUSES[kind] for kind in stub.served if kind in CAUSES)
    usage = json.loads(cli("report", "run", "--format", "json").stdout)["usage"]
    assert usage["calls"] == len(stub.bodies)
    assert usage["failed_attempts"] == served
    for episode in failed:
        assert episode.cause.kind in served_to(episode, stub), episode.cause
        assert sum(count for _, count in episode.usage["agent"].failed) >= 1

    stub.faults = ()
    assert told(cli(*model, "--out", "run", "--resume")) == {"scored": 240, "failed": 0, "owed": 0}
    assert played(tmp_path / "run") == (whole, [])


def served_to(episode, stub):
    """The causes of the faults that were served to a request in which all that this episode heard was told."""
    heard = [turn.text for turn in episode.turns if turn.seat != episode.seat]
    return {
        CAUSES[kind]
        for kind, body in zip(stub.served, stub.bodies, strict=True)
        if kind in CAUSES and all(any(text in m["content"] for m in body["messages"]) for text in heard)
    }
