"""What a run would use, and where it stops: --dry-run, --max-cost, --max-tokens, --time-limit, --retry-failed."""

import json
import re

import pytest

from adidem.core.errors import ConfigError
from adidem.core.runs.limits import seconds_of
from adidem.core.runs.store import RunStore
from stub_endpoint import Fault

PRICE = "--set", "agent.price_in=1000", "--set", "agent.price_out=1000"


@pytest.fixture
def model(stub, meeting, monkeypatch):
    """The words that play the one-file family with the stub as agent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.answer = lambda body: (
        {"outcome": "agree", "terms": {"place": "the park"}} if "response_format" in body else "The park?"
    )
    return "run", "hico", *meeting, "--agent", "openai/stub", "--api-base", stub.url, "--turns", 2


def last(result):
    return json.loads(result.stdout.splitlines()[-1])


def test_a_dry_run_says_what_would_be_used_and_writes_and_asks_nothing(cli, model, stub, tmp_path):
    found = last(cli(*model, "--dry-run", "--json", "--out", "run"))
    assert (found["episodes"], found["calls"]) == (16, 32), "one turn and one record each"
    assert found["prompt_tokens"] > 16 * 100
    assert found["cost"] is None
    assert stub.bodies == []
    assert list(tmp_path.iterdir()) == []
    assert "cost unknown" in cli(*model, "--dry-run").stdout


@pytest.mark.parametrize(
    ("agent", "more", "variable"),
    [
        ("openai/gpt-4.1-mini", (), "OPENAI_API_KEY"),
        ("openai/x", ("--api-base", "http://127.0.0.1:1/v1", *PRICE, "--set", "agent.api_key_env=MINE"), "MINE"),
    ],
)
def test_what_it_would_cost_is_told_to_who_has_no_key_yet(cli, meeting, monkeypatch, agent, more, variable):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "MINE"):
        monkeypatch.delenv(name, raising=False)
    words = "run", "hico", *meeting, "--agent", agent, *more, "--json"
    done = cli(*words, "--dry-run")
    assert last(done)["cost"] > 0
    assert f"set {variable} in the environment before it is run" in done.stderr
    assert f"set {variable} in the environment" in cli(*words, code=2).stderr


def test_an_estimate_is_about_what_the_run_then_uses(cli, model, tmp_path):
    found = last(cli(*model, *PRICE, "--dry-run", "--json"))
    cli(*model, *PRICE, "--out", "run", "--json")
    usage = json.loads(cli("report", "run", "--format", "json").stdout)["usage"]
    assert usage["calls"] == found["calls"]
    assert 0.3 < usage["prompt_tokens"] / found["prompt_tokens"] < 3
    assert found["cost"] == pytest.approx((found["prompt_tokens"] + found["completion_tokens"]) / 1000)


def test_a_dry_run_of_a_resumption_counts_what_is_owed(cli, model):
    cli(*model, "--out", "run", "--json", "--limit", 16)
    assert last(cli(*model, "--out", "run", "--limit", 16, "--resume", "--dry-run", "--json"))["episodes"] == 0


def test_scripted_runs_would_use_nothing(cli, meeting):
    found = last(cli("run", "hico", *meeting, "--dry-run", "--json"))
    assert (found["episodes"], found["calls"], found["cost"]) == (16, 0, 0)


@pytest.mark.parametrize("limit", [("--max-tokens", 500), ("--max-cost", 0.5, *PRICE), ("--time-limit", "0s")], ids=str)
def test_a_limit_starts_no_more_and_the_run_can_be_resumed(cli, model, tmp_path, limit):
    stopped = cli(*model, "--concurrency", 1, *limit, "--out", "run", "--json", code=130)
    assert "limit" in stopped.stderr
    assert "--out run --resume" in stopped.stderr
    counts = last(stopped)["episodes"]
    assert counts["failed"] == 0
    assert counts["owed"] > 0
    assert last(cli(*model, "--out", "run", "--resume", "--json"))["episodes"] == {"scored": 16, "failed": 0, "owed": 0}


def test_a_limit_says_at_once_that_what_is_in_flight_is_finished(cli, model, stub, caplog):
    stub.latency = 0.05
    cli(*model, "--concurrency", 2, "--max-tokens", 500, "--out", "run", "--json", code=130)
    [said] = [r.getMessage() for r in caplog.records if "in flight" in r.getMessage()]
    assert said.startswith("adidem: the limit of 500 tokens is reached")
    assert re.search(r"\(([1-7])\)", said), "of the eight that two calls at once keep busy, one or more have ended"


def test_a_limit_holds_also_where_the_endpoint_counts_no_tokens(cli, model, stub, tmp_path):
    stub.faults = [Fault("no_usage")] * 99
    cli(*model, "--concurrency", 1, "--max-cost", 0.5, *PRICE, "--out", "run", "--json", code=130)
    with RunStore(tmp_path / "run") as store:
        assert all(row["cost"] is None for row in store.rows()), "unknown stays unknown"


def test_a_limit_that_is_not_reached_changes_nothing(cli, model):
    cli(*model, "--max-tokens", 10_000_000, "--time-limit", "2h", "--json")


def test_a_cost_limit_without_a_known_price_is_refused_before_anything(cli, model, stub, tmp_path):
    error = cli(*model, "--max-cost", 5, "--out", "run", code=2).stderr
    assert "no price is known for openai/stub" in error
    assert "price_in" in error
    assert stub.bodies == []
    assert list(tmp_path.iterdir()) == []


def test_prices_of_own_endpoints_come_from_the_registry(cli, model, tmp_path):
    (tmp_path / "registry.yaml").write_text("models: {openai/stub: {price_in: 2, price_out: 8}}\n")
    cli(*model, "--max-cost", 5, "--out", "run", "--json")
    usage = json.loads(cli("report", "run", "--format", "json").stdout)["usage"]
    assert usage["cost"] == pytest.approx((2 * usage["prompt_tokens"] + 8 * usage["completion_tokens"]) / 1e6)


def test_retry_failed_plays_the_failed_ones_and_no_others(cli, model, stub, tmp_path):
    stub.faults = [Fault("401")] * 4
    one = "--concurrency", 1
    assert last(cli(*model, *one, "--out", "run", "--json", code=1))["episodes"]["failed"] > 0
    with RunStore(tmp_path / "run") as store:
        failed = store.failed()
    asked = len(stub.bodies)
    done = last(cli(*model, *one, "--out", "run", "--retry-failed", "--json"))
    assert done["episodes"] == {"scored": 16, "failed": 0, "owed": 0}
    assert len(stub.bodies) - asked == 2 * len(failed)


def test_retry_failed_starts_nothing_that_was_never_played(cli, model, stub, tmp_path):
    one = "--concurrency", 1
    stub.faults = [Fault("401")]
    cli(*model, *one, "--max-tokens", 300, "--out", "run", "--json", code=130)
    done = last(cli(*model, *one, "--out", "run", "--retry-failed", "--json"))
    assert done["episodes"]["failed"] == 0
    assert done["episodes"]["owed"] > 0


def test_settings_of_how_calls_are_made_may_change_between_the_parts_of_a_run(cli, model):
    cli(*model, "--out", "run", "--limit", 2, "--json")
    more = "--set", "agent.timeout=9", "--set", "agent.requests_per_minute=1000", "--concurrency", 3
    cli(*model, *more, "--out", "run", "--limit", 2, "--resume", "--json")
    error = cli(*model, "--set", "agent.top_p=0.5", "--out", "run", "--limit", 2, "--resume", code=2).stderr
    assert "models.agent.top_p: was not there, is now 0.5" in error


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://127.0.0.1:1/v1", False),
        ("http://localhost:1/v1", False),
        ("http://[::1]:1/v1", False),
        ("https://models.example/v1", False),
        ("http://models.example/v1", True),
        ("http://10.0.0.7:8000/v1", True),
    ],
)
def test_plain_http_to_another_machine_is_warned_of(cli, meeting, url, warned):
    said = cli("run", "hico", *meeting, "--agent", "openai/x", "--api-base", url, "--dry-run").stderr
    assert ("plain http to another machine" in said) is warned


def test_plain_http_is_warned_of_wherever_the_address_comes_from_and_whoever_calls(cli, model, meeting, monkeypatch):
    cli(*model, "--out", "run", "--json")
    away = "http://models.invalid/v1"
    words = (
        "--judge",
        "openai/judge",
        "--set",
        f"judge.api_base={away}",
        "--set",
        "llm.attempts=1",
        "--json",
        *meeting[:2],
    )
    assert f"{away} is plain http to another machine" in cli("judge", "run", *words, code=None).stderr
    monkeypatch.setenv("OPENAI_BASE_URL", away)
    said = cli("run", "hico", *meeting, "--agent", "openai/x", "--dry-run").stderr
    assert f"{away} is plain http to another machine" in said


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("15m", 900), ("1h30m", 5400), ("2h", 7200), ("0.5h", 1800)]
)
def test_times_are_read(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-3", "1d", "h", "1m1h"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ConfigError, match="--time-limit"):
        seconds_of(text)
