"""`adidem run` end to end with scripted agents: results, determinism, resumption, and what bad input gets."""

import json
from pathlib import Path

import pytest
import yaml

from adidem.core.runs.store import RunStore


def episodes(folder):
    """Every stored episode without its times."""
    from attrs import evolve

    with RunStore(folder) as store:
        return [evolve(e, seconds={}, turns=tuple(evolve(t, seconds=0.0) for t in e.turns)) for e in store.episodes()]


def test_a_family_from_outside_is_listed_certified_played_and_reported(cli, meeting, tmp_path):
    listed = json.loads(cli("plugins", *meeting[:2], "--json").stdout)
    assert {row["kind"] for row in listed if row["name"] == "meeting_place"} == {"family", "checker"}
    assert "12 of 12 pair certificates hold" in cli("scenarios", "certify", *meeting).stdout
    played = cli("run", "hico", *meeting, "--out", "run", "--json")
    last = json.loads(played.stdout.splitlines()[-1])
    assert last["run"] == "run"
    assert last["episodes"] == {"scored": 16, "failed": 0, "owed": 0}
    assert last["metrics"]["verified_success"]["value"] == 1.0
    report = json.loads(cli("report", "run", "--format", "json").stdout)
    assert report["by_family"]["meeting_place"]["feasibility"]["n"] == 16
    assert report["evidence"] == "mechanism"
    assert "meeting_place" in cli("report", "run").stdout
    assert "| family | meeting_place | 16 |" in cli("report", "run", "--format", "md").stdout
    assert len(cli("report", "run", "--format", "csv").stdout.splitlines()) == 17
    config = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())
    assert config["families"] == ["meeting_place"]


def test_who_accepts_anything_does_worse(cli, meeting):
    played = cli("run", "hico", "--agent", "scripted:agreeable", *meeting, "--json")
    assert json.loads(played.stdout.splitlines()[-1])["metrics"]["verified_success"]["value"] < 0.9


def test_the_same_seed_plays_the_same_at_any_concurrency(cli, meeting, tmp_path):
    for name, width in (("one", 1), ("many", 16)):
        cli("run", "hico", *meeting, "--out", name, "--concurrency", width, "--repeats", 2, "--seed", 5, "--json")
    assert episodes(tmp_path / "one") == episodes(tmp_path / "many")


def test_another_seed_plays_otherwise(cli, meeting, tmp_path):
    for seed in (1, 2):
        cli("run", "hico", *meeting, "--out", f"s{seed}", "--seed", seed, "--json")
    assert episodes(tmp_path / "s1") != episodes(tmp_path / "s2")


def test_an_agents_view_holds_nothing_of_the_other_card(cli, meeting, tmp_path):
    cli(
        "run",
        "hico",
        *meeting,
        "--agent",
        "scripted:agreeable",
        "--partner",
        "scripted:agreeable",
        "--out",
        "run",
        "--json",
    )
    with RunStore(tmp_path / "run") as store:
        cards = {s.id: s for s in store.scenarios()}
        for episode in store.episodes():
            world = cards[episode.scenario].world(episode.world)
            said = " ".join(t.text for t in episode.turns)
            assert all(condition.text not in said for condition in world.conditions)


def test_resume_plays_exactly_what_is_owed(cli, meeting, tmp_path):
    cli("run", "hico", *meeting, "--out", "whole", "--json")
    cli("run", "hico", *meeting, "--out", "part", "--json")
    import sqlite3

    with sqlite3.connect(tmp_path / "part" / "run.sqlite") as db:
        db.execute("DELETE FROM episodes WHERE world = 'b'")
        kept = dict(db.execute("SELECT task, data FROM episodes"))
    again = cli("run", "hico", *meeting, "--out", "part", "--resume", "--json")
    assert json.loads(again.stdout.splitlines()[-1])["episodes"] == {"scored": 16, "failed": 0, "owed": 0}
    with sqlite3.connect(tmp_path / "part" / "run.sqlite") as db:
        now = dict(db.execute("SELECT task, data FROM episodes"))
    assert {task: now[task] for task in kept} == kept, "what was scored is not played again"
    assert episodes(tmp_path / "part") == episodes(tmp_path / "whole")


def test_resume_refuses_a_changed_configuration_and_names_the_keys(cli, meeting):
    cli("run", "hico", *meeting, "--out", "run", "--json")
    error = cli("run", "hico", *meeting, "--out", "run", "--resume", "--seed", 3, "--turns", 4, code=2).stderr
    assert "another configuration: seed: was 0, is now 3; turns: was 12, is now 4; or take another --out" in error
    cli("run", "hico", *meeting, "--out", "run", "--resume", "--concurrency", 2, "--json")


def test_a_run_folder_that_exists_is_refused(cli, meeting, tmp_path):
    (tmp_path / "run").mkdir()
    error = cli("run", "hico", *meeting, "--out", "run", code=2).stderr
    assert "run exists: give --resume" in error
    assert list((tmp_path / "run").iterdir()) == []


def test_a_folder_without_a_run_cannot_be_resumed(cli, meeting, tmp_path):
    refused = cli("run", "hico", *meeting, "--out", "run", "--resume", code=2)
    assert "no run to resume: run is not a run" in refused.stderr
    assert not (tmp_path / "run").exists()


def test_no_dialogue_asks_for_records_from_the_cards_alone(cli, meeting, tmp_path):
    played = cli("run", "hico", *meeting, "--no-dialogue", "--out", "run", "--json")
    metrics = json.loads(played.stdout.splitlines()[-1])["metrics"]
    assert metrics["feasibility"]["value"] < 1
    assert metrics["integrity"]["unscored"] == 16
    assert all(not e.turns for e in episodes(tmp_path / "run"))


def test_the_limit_of_turns_is_kept(cli, meeting, tmp_path):
    cli("run", "hico", *meeting, "--turns", 2, "--out", "run", "--json")
    assert {len(e.turns) for e in episodes(tmp_path / "run")} <= {1, 2}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hicoo"], "unknown suite 'hicoo': did you mean 'hico'?"),
        (["hico", "--family", "set_consnt"], "unknown family 'set_consnt': did you mean 'set_consent'?"),
        (["hico", "--barrier", "vagueness:2"], "severity '2'"),
        (["hico", "--barrier", "vaguenes"], "unknown barrier 'vaguenes'"),
        (["hico", "--agent", "scripted:candide"], "'scripted:candid'"),
        (["hico", "--agent", "local:smollm"], "'local:smollm2'"),
        (["hico", "--partner", "scripted:garded"], "'scripted:guarded'"),
        (["hico", "--bank", "nowhere.jsonl"], "nowhere.jsonl: there is no such file"),
        (["hico", "--bank", "hicoo"], "unknown bank 'hicoo': did you mean 'hico'?"),
        (["hico", "--plugin", "nowhere.py", "--strict-plugins"], "nowhere.py"),
        (["hico", "--split", "tset"], "tset"),
        (["hico", "--tag", "no_such_tag"], "no_such_tag"),
        (["hico", "--set", "suites.hico.turn=3"], "did you mean 'turns'?"),
        (["hico", "--resume"], "--resume needs the run's folder"),
        (["hico", "--barrier-on", "nobody"], "nobody"),
        (["hico", "--api-base", "notaurl", "--agent", "openai/x"], "write it as http://host:port/v1"),
        (["hico", "--api-base", "http://[::1", "--agent", "openai/x"], "write it as http://host:port/v1"),
        (["hico", "--repair", "plian"], "did you mean 'plain'?"),
        (["hico", "--max-cost", "nan"], "--max-cost nan"),
        (["hico", "--split", "tst"], "did you mean 'test'?"),
        (["hico", "--barrier", "semantic_vagueness:0.5", "--barrier", "semantic_vagueness:0.50"], "one condition"),
        (["hico", "--limit", "99999999999999999999"], "--limit"),
    ],
)
def test_bad_input_is_one_line_exit_2_and_writes_nothing(words, said, cli, tmp_path):
    error = cli("run", *words, code=2).stderr
    lines = [line for line in error.splitlines() if not line.startswith("adidem: warning")]
    assert len(lines) == 1
    assert said in lines[0]
    assert list(tmp_path.iterdir()) == []


def test_a_registry_with_a_typo_is_placed(cli, tmp_path):
    (tmp_path / "registry.yaml").write_text("suites:\n  hico:\n    truns: 6\n")
    error = cli("run", "hico", code=2).stderr
    assert "registry.yaml:3:5" in error
    assert "did you mean 'turns'?" in error


def test_a_bank_with_a_broken_line_is_placed(cli, meeting, tmp_path):
    cli("scenarios", "generate", *meeting, "--split", "test", "--out", "bank.jsonl")
    lines = (tmp_path / "bank.jsonl").read_bytes().splitlines()
    (tmp_path / "bank.jsonl").write_bytes(b"\n".join([*lines[:2], lines[2][:-9], *lines[3:]]))
    error = cli("run", "hico", *meeting, "--bank", "bank.jsonl", "--out", "run", code=2).stderr
    assert "bank.jsonl:3:" in error
    assert not (tmp_path / "run").exists()


def test_a_bank_of_ones_own_is_played(cli, meeting, tmp_path):
    cli("scenarios", "generate", *meeting, "--split", "test", "--count", 2, "--seed", 9, "--out", "bank.jsonl")
    played = cli("run", "hico", *meeting, "--bank", "bank.jsonl", "--json")
    assert json.loads(played.stdout.splitlines()[-1])["episodes"]["scored"] == 8


def test_an_agent_that_raises_is_a_failed_episode_not_the_end_of_the_run(cli, meeting, tmp_path):
    broken = tmp_path / "broken.py"
    text = Path(meeting[1]).read_text()
    broken.write_text(text.replace('return f"meeting at {terms.place}"', 'raise RuntimeError("lost my voice")'))
    played = cli("run", "hico", "--plugin", broken, *meeting[2:], "--out", "run", "--json", code=1)
    last = json.loads(played.stdout.splitlines()[-1])
    assert last["episodes"]["failed"] > 0
    assert last["episodes"]["scored"] + last["episodes"]["failed"] == 16
    (failure,) = last["failures"]
    assert failure["count"] == last["episodes"]["failed"]
    assert (failure["cause"], failure["message"]) == ("internal_error", "RuntimeError: lost my voice")
    cli("report", "run")


def test_a_report_of_no_run_says_so(cli, tmp_path):
    assert "not a run" in cli("report", tmp_path, code=2).stderr
    assert "did you mean 'json'?" in cli("report", tmp_path, "--format", "jsn", code=2).stderr


def test_a_file_that_is_no_store_says_so(cli, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.sqlite").write_text("not a database, but long enough to be looked at as one" * 40)
    assert "a store of another version, or damaged" in cli("report", "run", code=2).stderr
