"""`adidem language`: features of stored talk beside every score, without playing again."""

import json


def test_a_stored_run_is_measured(cli, meeting):
    cli("run", "hico", *meeting, "--agent", "scripted:agreeable", "--out", "run", "--json")
    found = json.loads(cli("language", "run", "--json").stdout)
    assert {(row["barrier"], row["who"]) for row in found["by_barrier"]} == {("none", "agent"), ("none", "partner")}
    assert found["by_turn"]
    assert any(row["score"] == "verified_success" for row in found["correlations"])
    shown = cli("language", "run").stdout
    assert "partner" in shown
    assert "per 100 words" in shown
    assert found["evidence"] == "mechanism"
    assert "evidence: mechanism" in shown


def test_a_folder_without_a_run_is_refused(cli, tmp_path):
    assert "not a run" in cli("language", tmp_path, code=2).stderr
