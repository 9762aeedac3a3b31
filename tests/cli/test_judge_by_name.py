"""`adidem judge` with a judge's name: one that asks a model needs one."""

import pytest

from adidem.core.runs.store import RunStore


@pytest.fixture
def played(cli, meeting):
    cli("run", "hico", *meeting, "--agent", "scripted:agreeable", "--out", "run", "--json")
    return "run", *meeting[:2]


def test_a_judge_that_asks_a_model_and_has_none_is_refused(cli, played):
    said = cli("judge", *played, "--judge", "understanding", code=2).stderr
    assert "judge 'understanding' asks a model: give one with --judge MODEL --only understanding" in said
    assert "judges.understanding.model" in said


def test_a_name_and_a_model_go_together(cli, played, tmp_path):
    said = cli("judge", *played, "--judge", "understanding", "--judge", "scripted:judge")
    assert "16 episodes rated by understanding" in said.stderr
    again = cli("judge", *played, "--judge", "understanding", "--judge", "scripted:judge")
    assert "nothing was owed" in again.stderr
    with RunStore(tmp_path / "run") as store:
        assert {r["judge"] for r in store.ratings()} >= {"understanding"}
        assert "sotopia" not in {r["judge"] for r in store.ratings()}
