"""What may change when a run goes on, what is kept of earlier tries, and what is left where nothing could begin."""

import json

import pytest
import yaml

from adidem.core.runs import store as storing
from adidem.core.runs import suite as module
from adidem.core.runs.config import noted
from adidem.core.runs.store import RunStore
from stub_endpoint import Fault, StubEndpoint


@pytest.fixture
def model(stub, meeting, monkeypatch):
    """The words that play the one-file family with the stub as agent, but for where it is."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.answer = answering
    return "run", "hico", *meeting, "--agent", "openai/stub", "--turns", 2, "--concurrency", 1, "--out", "run", "--json"


def answering(body):
    return {"outcome": "agree", "terms": {"place": "the park"}} if "response_format" in body else "The park?"


def last(result):
    return json.loads(result.stdout.splitlines()[-1])["episodes"]


def usage(cli):
    return json.loads(cli("report", "run", "--format", "json").stdout)["usage"]


def test_a_model_server_that_moved_is_no_other_run_and_the_move_is_kept(cli, model, stub, tmp_path):
    cli(*model, "--api-base", stub.url, "--max-tokens", 300, code=130)
    moved = StubEndpoint(answer=answering).start()
    try:
        assert last(cli(*model, "--api-base", moved.url, "--resume"))["owed"] == 0
        assert moved.bodies
        cli(*model, "--api-base", moved.url, "--resume")
        with RunStore(tmp_path / "run") as store:
            assert store.get("parts") == [{"models.agent.api_base": moved.url}]
            assert store.get("config")["models"]["agent"]["api_base"] == stub.url
        error = cli(*model, "--api-base", moved.url, "--set", "agent.top_p=0.5", "--resume", code=2).stderr
        assert "models.agent.top_p: was not there, is now 0.5" in error
        assert "api_base" not in error
    finally:
        moved.stop()


def test_what_a_part_noted_is_named_and_what_is_no_longer_said_is_none():
    before = {"concurrency": 4, "seed": 1, "models": {"agent": {"model": "x", "timeout": 9, "api_base": "http://a/v1"}}}
    now = {"concurrency": 8, "seed": 1, "models": {"agent": {"model": "x", "api_base": "http://b/v1"}}}
    assert noted(before, now) == {
        "concurrency": 8,
        "models.agent.api_base": "http://b/v1",
        "models.agent.timeout": None,
    }
    assert noted(before, before) == {}


@pytest.mark.parametrize("again", ["--retry-failed", "--resume"])
def test_what_failed_tries_used_is_kept_when_they_are_played_again(cli, model, stub, again):
    stub.faults = [None, Fault("401"), None, None, Fault("401")]
    assert last(cli(*model, "--api-base", stub.url, "--limit", 4, code=1))["failed"] == 2
    assert usage(cli)["failed_attempts"] == {"authentication": 2}
    assert last(cli(*model, "--api-base", stub.url, "--limit", 4, again)) == {"scored": 4, "failed": 0, "owed": 0}
    assert usage(cli)["failed_attempts"] == {"authentication": 2}
    assert usage(cli)["calls"] == len(stub.bodies)


def test_an_endpoint_for_who_asks_none_is_refused(cli, meeting, tmp_path):
    for agent in ("scripted:candid", "human"):
        error = cli("run", "hico", *meeting, "--agent", agent, "--api-base", "http://127.0.0.1:1/v1", code=2).stderr
        assert f"--api-base changes nothing for {agent}" in error
        assert "judge.api_base" in error
    assert list(tmp_path.iterdir()) == []


def test_where_a_run_cannot_begin_no_folder_is_left(cli, monkeypatch, tmp_path):
    words = "run", "hico", "--limit", 4, "--out", "runs/run", "--json"
    for schema in ("PRAGMA max_page_count=1;", "PRAGMA query_only=ON;"):
        with monkeypatch.context() as patched:
            patched.setattr(storing, "SCHEMA", storing.SCHEMA + schema)
            error = cli(*words, code=2).stderr
        assert "no run can be begun there" in error
        assert "--resume" not in error
        assert list((tmp_path / "runs").iterdir()) == []
    assert last(cli(*words))["scored"] == 4


def test_where_the_configuration_cannot_be_written_no_folder_is_left(cli, meeting, monkeypatch, tmp_path):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_config", full)
        error = cli("run", "hico", *meeting, "--out", "run", code=2).stderr
    assert "No space left on device" in error
    assert not (tmp_path / "run").exists()


def test_a_folder_that_was_there_is_never_removed(cli, meeting, monkeypatch, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.lock").touch()
    (tmp_path / "run" / "mine.txt").touch()
    cli("run", "hico", *meeting, "--out", "run", code=2)
    (tmp_path / "run" / "mine.txt").unlink()
    monkeypatch.setattr(module, "write_config", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli("run", "hico", *meeting, "--out", "run", code=2)
    assert (tmp_path / "run" / "run.lock").exists()


@pytest.mark.parametrize("repeats", [2**31 - 1, 10_000_000])
def test_more_episodes_than_a_run_takes_are_refused_at_once(cli, repeats, tmp_path):
    for more in (["--dry-run"], ["--out", "run"]):
        error = cli("run", "hico", "--repeats", repeats, *more, code=2).stderr
        assert "10,000,000" in error
        assert "lower --repeats" in error
    assert list(tmp_path.iterdir()) == []


def test_a_million_episodes_are_estimated_without_being_listed(cli):
    import tracemalloc

    tracemalloc.start()
    found = json.loads(cli("run", "hico", "--repeats", 41_000, "--dry-run", "--json").stdout.splitlines()[-1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found["episodes"] == 240 * 41_000
    assert peak < 100e6, f"{peak / 1e6:.0f} MB"


def test_help_says_how_a_limit_counts(cli):
    from typer.testing import CliRunner

    from adidem.core.cli.main import app

    said = " ".join(CliRunner().invoke(app, ["run", "--help"], terminal_width=200).output.split())
    assert "24 reach all six of hico" in said


def test_a_written_configuration_is_read_by_a_safe_loader(cli, meeting, tmp_path):
    cli("run", "hico", *meeting, "--limit", 1, "--out", "run", "--json")
    assert "!!" not in (tmp_path / "run" / "config.yaml").read_text()
    assert yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())["limit"] == 1


def test_a_run_goes_on_without_being_told_again_what_it_was_told(cli, meeting, tmp_path):
    """Flags of the suite and of the run alone, and options of components; it is told what it keeps."""
    words = "run", "hico", *meeting, "--out", "run", "--json"
    more = "--limit", 4, "--seed", 7, "--agent", "scripted:guarded", "--repeats", 2
    cli(*words, *more, "--turns", 3)
    done = cli(*words, "--resume")
    assert last(done) == {"scored": 8, "failed": 0, "owed": 0}
    said = "run goes on with the settings that it was begun with: "
    assert said in done.stderr
    for kept in ('agent "scripted:guarded" (begun now it would be "scripted:candid")', "limit 4", "seed 7", "turns 3"):
        assert kept in done.stderr
    assert "scenarios" not in done.stderr
    assert said not in cli(*words, *more, "--turns", 3, "--resume").stderr


def test_what_a_person_asks_for_is_never_taken_for_what_was(cli, meeting):
    """Named, a default is a wish too."""
    words = "run", "hico", *meeting, "--out", "run", "--json"
    cli(*words, "--agent", "scripted:guarded", "--limit", 4)
    for more, said in (
        (["--agent", "scripted:candid"], 'agent: was "scripted:guarded", is now "scripted:candid"'),
        (["--limit", 8], "limit: was 4, is now 8"),
        (["--no-dialogue"], "dialogue: was true, is now false"),
    ):
        assert f"another configuration: {said}; or" in cli(*words, *more, "--resume", code=2).stderr


def begun_by_another_version(folder, change):
    """The run as another version would have begun it."""
    with RunStore(folder, write=True) as store:
        config = store.get("config")
        change(config)
        store.put("config", config)
    return config


def test_a_default_that_changed_since_is_kept_as_it_was_and_told(cli, meeting, tmp_path):
    words = "run", "hico", *meeting, "--out", "run", "--json"
    cli(*words, "--limit", 4)
    before = begun_by_another_version(tmp_path / "run", lambda config: config.update(split="dev", repeats=3))
    assert "repeats: was 3, is now 1" in cli(*words, "--resume", code=2).stderr  # that split has no scenario
    assert before["repeats"] == 3
    begun_by_another_version(tmp_path / "run", lambda config: config.update(split="test", repeats=3))
    done = cli(*words, "--resume")
    assert "repeats 3 (begun now it would be 1)" in done.stderr
    assert last(done) == {"scored": 12, "failed": 0, "owed": 0}


def test_an_option_that_is_new_since_is_named_with_how_to_go_on(cli, tmp_path):
    """It had no value then; given, the run goes on."""
    words = "run", "hico", "--limit", 4, "--out", "run", "--json"
    cli(*words)
    components = begun_by_another_version(tmp_path / "run", dict)["components"]
    name, option = next((n, key) for n, o in components.items() for key, value in o.items() if value is not None)
    begun_by_another_version(tmp_path / "run", lambda config: config["components"][name].pop(option))
    error = cli(*words, "--resume", code=2).stderr
    assert f"run was begun before there was components.{name}.{option}: to go on, give --set " in error
    sets = error.partition("to go on, give ")[2].partition(";")[0].split()
    assert last(cli(*words, "--resume", *sets))["owed"] == 0
    begun_by_another_version(tmp_path / "run", lambda config: config["components"][name].update({option: "?"}))
    assert f'components.{name}.{option}: was "?", is now' in cli(*words, "--resume", code=2).stderr


def test_a_run_from_before_a_part_of_the_configuration_goes_on(cli, meeting, tmp_path):
    words = "run", "hico", *meeting, "--out", "run", "--json"
    cli(*words, "--limit", 4)
    begun_by_another_version(tmp_path / "run", lambda config: [config.pop(name) for name in ("detect", "barrier_on")])
    assert cli(*words, "--resume").stderr.count("limit 4") == 1


def test_other_scenarios_under_the_same_settings_are_told(cli, meeting, tmp_path):
    words = "run", "hico", *meeting, "--out", "run", "--json"
    cli(*words, "--limit", 4)
    begun_by_another_version(tmp_path / "run", lambda config: config.update(scenarios="0123456789abcdef"))
    assert 'scenarios: was "0123456789abcdef", is now' in cli(*words, "--limit", 4, "--resume", code=2).stderr
