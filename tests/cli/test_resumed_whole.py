"""A run goes on by all that it was begun with: what its words brought to it, and the options of all that plays."""

import json

import pytest
import yaml

from adidem.core.runs.store import RunStore

SAID = "goes on with the settings that it was begun with: "


def last(result):
    return json.loads(result.stdout.splitlines()[-1])["episodes"]


@pytest.fixture
def hum(cli, tmp_path):
    """`run hico` behind a barrier of one's own, with the registry's `rate`."""
    cli("new", "barrier", "hum")

    def words(rate, *more):
        registry = {"plugins": ["hum.py"], "barriers": {"hum": {"rate": rate}}}
        (tmp_path / "registry.yaml").write_text(yaml.safe_dump(registry))
        return "run", "hico", "--limit", 4, "--barrier", "hum:0.9", "--out", "r5", "--json", *more

    return words


def test_two_barriers_of_one_name_are_not_mixed(cli, hum, tmp_path):
    cli(*hum(0.9))
    with RunStore(tmp_path / "r5", write=True) as store:
        config = store.get("config")
        assert config["components"]["barrier.hum"] == {"rate": 0.9}
    told = cli(*hum(0.0, "--resume")).stderr
    assert f"r5 {SAID}components.barrier.hum.rate 0.9 (begun now it would be 0.0)" in told
    wished = cli(*hum(0.9, "--set", "barriers.hum.rate=0.0", "--resume"), code=2).stderr
    assert "components.barrier.hum.rate: was 0.9, is now 0.0" in wished


def test_a_run_from_before_options_of_barriers_were_kept_goes_on(cli, hum, tmp_path):
    cli(*hum(0.9))
    with RunStore(tmp_path / "r5", write=True) as store:
        config = store.get("config")
        del config["components"]["barrier.hum"]
        store.put("config", config)
    assert last(cli(*hum(0.9, "--resume")))["owed"] == 0


@pytest.fixture
def goes_on(cli, tmp_path):
    """Begins `run SUITE --out run` with some words, and goes on with others: what is owed then, and what is told.
    `kept` is False for a store of a version that kept no words."""

    def go(suite, more, again=(), *, kept=True, code=0):
        words = "run", suite, "--out", "run", "--json"
        cli(*words, *more)
        with RunStore(tmp_path / "run", write=True) as store:
            before = store.get("config")
            if not kept:
                store.put("words", None)
        done = cli(*words, *again, "--resume", code=code)
        if code == 0:
            assert last(done)["owed"] == 0
            with RunStore(tmp_path / "run") as store:
                assert store.get("config") == before
        return done.stderr

    return go


BARRED = ["--barrier", "semantic_vagueness:0.7", "--limit", 2]
JUDGED = ["--judge", "scripted:judge", "--limit", 2]


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        (BARRED, True),
        ([*BARRED, "--repair", "plain", "--detect"], False),
        ([*BARRED, "--barrier-on", "agent"], False),
        (JUDGED, True),
        (JUDGED, False),
    ],
)
def test_what_was_given_need_not_be_given_again(goes_on, more, kept):
    assert f"run {SAID}" in goes_on("hico", more, kept=kept)


@pytest.mark.parametrize(
    ("suite", "more"),
    [
        ("sotopia", ["--limit", 2, "--judge", "scripted:judge"]),
        ("socialveil", ["--limit", 1, "--barrier", "semantic_vagueness:0.3"]),
        ("hico", ["--limit", 2, "--set", "suites.hico.judges=[integrity_rules]"]),
        ("hico", ["--limit", 2, "--set", "suites.hico.model_judges=[sotopia]", "--judge", "scripted:judge"]),
        (
            "hico",
            ["--limit", 2, "--judge", "scripted:judge", "--judge", "integrity_rules", "--set", "suites.hico.judges=[]"],
        ),
    ],
)
def test_so_in_every_suite_and_by_set(goes_on, suite, more):
    goes_on(suite, more)


def test_a_part_of_what_was_given_may_be_given_again(goes_on):
    goes_on(
        "hico",
        ["--limit", 2, "--judge", "scripted:judge", "--set", "suites.hico.judges=[conduct]"],
        ["--set", "suites.hico.judges=[conduct]"],
    )


@pytest.mark.parametrize(
    ("again", "said"),
    [
        (["--set", "suites.hico.judges=[conduct]"], 'judges: was ["integrity_rules", "conduct"], is now ["conduct"]'),
        (["--set", "suites.hico={repeats: 2}"], "repeats: was 1, is now 2"),
        (["--barrier", "semantic_vagueness:0.2"], 'barriers: was ["none", "semantic_vagueness:0.7"], is now'),
        (["--set", "judges.integrity_rules={loops: 9}"], "components.judge.integrity_rules.loops: was"),
    ],
)
def test_what_is_given_and_differs_is_refused(goes_on, again, said):
    assert f"another configuration: {said}" in goes_on("hico", BARRED, again, code=2)


def test_a_barrier_of_a_plugin(cli, hum):
    cli(*hum(0.9))
    assert last(cli("run", "hico", "--out", "r5", "--json", "--resume"))["owed"] == 0


def test_a_model_as_judge_goes_on_where_it_was(goes_on, stub, monkeypatch, tmp_path):
    """Its endpoint among the words."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.answer = lambda _: {"integrity": {"reasoning": "-", "score": 5}}
    goes_on("hico", ["--limit", 1, "--judge", "openai/stub", "--set", f"judge.api_base={stub.url}"])
    with RunStore(tmp_path / "run") as store:
        assert store.get("words")["sets"] == [f"judge.api_base={stub.url}"]
