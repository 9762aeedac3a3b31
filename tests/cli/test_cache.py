"""`adidem cache`, and who uses it: judges, and no agent that samples."""

import json

from adidem.core.llm.cache import cache_file


def test_agents_are_asked_again_unless_the_settings_say_otherwise(cli, meeting, stub):
    stub.answer = ["How about the park?"] * 999
    words = (
        "run",
        "hico",
        *meeting,
        "--agent",
        "openai/stub",
        "--api-base",
        stub.url,
        "--limit",
        1,
        "--turns",
        4,
        "--json",
    )
    cli(*words, code=0)
    once = len(stub.bodies)
    cli(*words, code=0)
    assert len(stub.bodies) == 2 * once
    assert not cache_file().exists()
    cli(*words, "--set", "agent.cache=true", code=0)
    asked = len(stub.bodies)
    cli(*words, "--set", "agent.cache=true", code=0)
    assert len(stub.bodies) < asked + once


def test_a_judge_is_not_paid_twice_for_one_question(cli, meeting, stub):
    stub.answer = lambda _body: {"reasoning": "", "violations": []}
    to = "--judge", "openai/stub", "--set", f"judge.api_base={stub.url}"
    words = "run", "hico", *meeting, *to, "--limit", 2, "--repeats", 2, "--json"
    cli(*words, "--set", "suites.hico.model_judges=[integrity]")
    once = len(stub.bodies)
    assert once >= 4, "each repeat is judged for itself"
    cli(*words, "--set", "suites.hico.model_judges=[integrity]")
    assert len(stub.bodies) == once
    cli(*words, "--set", "suites.hico.model_judges=[integrity]", "--set", "judge.cache=false")
    assert len(stub.bodies) == 2 * once


def test_stats_and_clear(cli):
    assert json.loads(cli("cache", "stats", "--json").stdout)["answers"] == 0
    cache_file().write_bytes(b"x" * 5000)
    assert "adidem cache clear" in cli("cache", "stats", code=2).stderr
    assert "deleted" in cli("cache", "clear").stdout
    assert not cache_file().exists()
    assert "0 answers" in cli("cache", "stats").stdout
