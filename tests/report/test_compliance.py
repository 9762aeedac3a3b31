"""Compliance and detection as reported: hand-worked, and read from a run played through the command line."""

import json

import pytest
from attrs import evolve

from adidem.core.report.compliance import compliance, detection
from adidem.core.runs.store import RunStore


def extra(scenario, observed, missed, guesses=None, barrier="fog:0.7", parts=("fog",)):
    facts = {
        "parts": dict.fromkeys(parts, 0.7),
        "quotas": {"hedges": [2.0, 4.0]},
        "observed": {"hedges": observed},
        "missed": ["hedges"] if missed else [],
        "complied": not missed,
        "moves": {"asks_referent": 2 if missed else 0},
    }
    said = None if guesses is None else [{"turn": 2 * n, "said": g} for n, g in enumerate(guesses)]
    return {"barrier": barrier, "scenario": scenario, "barrier_facts": facts, "detection": said}


def test_nothing_is_said_where_nobody_had_a_barrier():
    none = {"barrier": "none", "scenario": "s", "barrier_facts": None, "detection": None}
    assert compliance([none]) is None
    assert detection([none]) == []


def test_observed_means_and_shares_outside():
    found = compliance([extra("a", 1.0, True), extra("b", 3.0, False), extra("c", 2.0, False), extra("d", 0.0, True)])
    (quota,) = found.quotas
    assert (quota.low, quota.high, quota.observed.value, quota.missed.value) == (2.0, 4.0, 1.5, 0.5)
    assert found.complied["fog:0.7"].value == 0.5
    assert found.moves["fog:0.7"]["asks_referent"].value == 1.0


def test_guesses_are_counted_turn_by_turn():
    rows = [extra("a", 3, False, ["none", "fog"]), extra("b", 3, False, ["fog", "fog"]), extra("c", 3, False, [None])]
    found = {g.nth: g.accuracy for g in detection(rows)}
    assert (found[1].value, found[1].n) == (0.5, 2), "an answer that did not come is no guess"
    assert found[1].unscored == 1, "and it is counted"
    assert found[2].value == 1.0


def test_a_turn_at_which_nobody_answered_is_told():
    (found,) = detection([extra("a", 3, False, [None]), extra("b", 3, False, [None])])
    assert (found.accuracy.value, found.accuracy.n, found.accuracy.unscored) == (None, 0, 2)


def test_who_recognised_the_barrier_is_a_line_a_condition_and_a_table(cli, copied):
    """Two turns of the listener: none answers at the second in one episode of two."""

    def change(number, episode):
        if episode.barrier == "none":
            return episode
        said = ["semantic_vagueness", "none" if number % 2 else None]
        probes = [{"turn": 2 * n, "said": name, "among": 4} for n, name in enumerate(said)]
        return evolve(episode, extra={**episode.extra, "detection": probes})

    run = copied("run", change)
    text = " ".join(cli("report", run).stdout.split())
    line = "barrier recognised by the listener (chance 25 %), semantic_vagueness:0.7: turn 1 100 % of 32; turn 2 0 % of"
    assert line in text
    assert "no answer)" in text
    rows = [
        line
        for line in cli("report", run, "--format", "md").stdout.splitlines()
        if line.startswith("| semantic_vagueness:0.7 | 1 |")
    ]
    assert rows == ["| semantic_vagueness:0.7 | 1 | 100 [100, 100] | 32 | 0 | 25 |"]


def test_chance_is_of_the_answers_there_were():
    one, two = extra("a", 3, False, ["fog"]), extra("a", 3, False, ["mist"], "fog:0.7+mist:0.5", ("fog", "mist"))
    for row in (one, two):
        row["detection"][0]["among"] = 5
    assert [g.chance for g in detection([one, two])] == [0.2, 0.4]
    assert detection([extra("a", 3, False, ["fog"])])[0].chance is None, "a run from before it was kept"


def test_without_a_barrier_none_is_right():
    row = {"barrier": "none", "scenario": "a", "barrier_facts": None, "detection": [{"turn": 0, "said": "none"}]}
    assert detection([row])[0].accuracy.value == 1.0


def test_a_composite_is_recognised_by_either_name():
    row = extra("a", 3, False, ["mist"], "fog:0.7+mist:0.5", ("fog", "mist"))
    assert detection([row])[0].accuracy.value == 1.0


@pytest.mark.parametrize("barrier", ["semantic_vagueness", "sociocultural_mismatch", "emotional_interference"])
def test_a_played_run_reports_what_its_barrier_did(barrier, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from adidem.core.cli.main import app

    monkeypatch.chdir(tmp_path)
    words = ["run", "hico", "--agent", "scripted:guarded", "--barrier", f"{barrier}:0.7", "--limit", "24"]
    done = CliRunner().invoke(app, [*words, "--out", "run", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(CliRunner().invoke(app, ["report", "run", "--format", "json"]).stdout)
    measures = {e["measure"] for e in report["barriers"]["effects"]}
    assert {"feasibility", "verified_success"} <= measures
    assert set(report["barriers"]["by_family"][f"{barrier}:0.7"]) == set(report["by_family"])
    assert report["compliance"]["complied"][f"{barrier}:0.7"]["n"] == 24
    assert report["metrics"]["feasibility"]["n"] == 24, "headlines are of the condition without a barrier"
    assert report["by_barrier"][f"{barrier}:0.7"]["feasibility"]["n"] == 24
    assert report["evidence"] == "mechanism"
    table = CliRunner().invoke(app, ["report", "run"]).stdout
    assert "not measured with models yet" in " ".join(table.split())
    with RunStore(tmp_path / "run") as store:
        marked = {row["complied"] for row in store.rows() if row["barrier"] != "none"}
    assert marked <= {0, 1}
