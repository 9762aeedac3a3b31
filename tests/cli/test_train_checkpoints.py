"""What is told of a training run by its checkpoints: a dry run says what the run would, and what was made counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

RECIPE: dict[str, Any] = {
    "policy": {"tiny": {"width": 32, "layers": 1, "heads": 2, "inner": 32}},
    "scenarios": {"families": ["authorization"]},
    "play": {"partner": "lab:partner", "turns": 4},
    "imitation": {"scenarios": 2, "each": 1, "steps": 1, "batch": 2},
    "conversations": 16,
    "updates": 3,
    "tensorboard": False,
}


@pytest.fixture
def three(cli, monkeypatch, tmp_path) -> Path:
    """A run of three updates that was begun and not made; the folder of its last checkpoint, which is empty."""
    with monkeypatch.context() as patched:
        patched.setattr("adidem.core.training.loop.train", lambda *_, **__: 0)
        (tmp_path / "r.yaml").write_text(yaml.safe_dump(RECIPE))
        cli("train", "pacpo", "--recipe", "r.yaml", "--out", "run", "--quiet")
    folder: Path = tmp_path / "run" / "checkpoints" / "000003"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(("state", "why"), [(None, "there is none"), (b"", "it is torn"), (b"PK\3\4", "it is torn")])
def test_a_dry_run_refuses_the_checkpoint_that_the_run_refuses(cli, three, state, why):
    if state is not None:
        (three / "state.pt").write_bytes(state)
    words = "train", "--out", "run", "--resume", "--quiet"
    refused = f"run/checkpoints/000003/state.pt: cannot be read: {why}; delete its folder to go on from an earlier one"
    assert refused in cli(*words, "--dry-run", code=2).stderr
    said = cli(*words, code=1).stderr
    assert refused in said
    assert "holds what was trained" not in said
    three.rename(three.with_name("000004"))
    assert "run has 4 updates and 3 are asked for" in cli(*words, "--dry-run", code=2).stderr


def test_a_dry_run_tells_what_is_made(cli, three):
    with ZipFile(three / "state.pt", "w") as state:
        state.writestr("data", "1")
    said = cli("train", "--out", "run", "--resume", "--dry-run").stdout
    assert "made already: 3 updates of the 3" in said


def test_updates_whose_figures_are_gone_were_made(capsys, three, tmp_path):
    """Counted by checkpoints, and what is missing is told."""
    from adidem.core.cli.train import _conclude

    run = tmp_path / "run"
    lost = f"{run / 'metrics.jsonl'} holds the figures of {{}} of the 3 updates that were made"
    _conclude(run, as_json=False)
    said = capsys.readouterr()
    assert (said.out.splitlines()[0], said.err) == (lost.format(0), "")
    (run / "metrics.jsonl").write_text('{"update": 3, "reward": 0.5}\n')
    _conclude(run, as_json=False)
    said = capsys.readouterr()
    assert said.out.startswith("last update: reward 0.5")
    assert said.err == f"adidem: warning: {lost.format(1)}\n"
    _conclude(run, as_json=True)
    assert json.loads(capsys.readouterr().out)["updates"] == 3


def test_a_dry_run_counts_the_minibatches_that_can_be_had(cli, tmp_path):
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(RECIPE))
    words = "train", "ppo", "--recipe", "r.yaml", "--dry-run", "--set", "update.epochs=2"
    said = cli(*words, "--set", "update.minibatches=99").stdout
    assert "learning: 2 epochs × 16 minibatches (not 99: one holds a conversation at least)" in said
    shapes = json.loads(cli(*words, "--json", "--set", "update.minibatches=99").stdout)["stages"][0]["shapes"]
    assert (shapes["minibatches"], shapes["minibatches_asked"]) == (32, 198)
    assert "× 16 minibatches, micro" in cli(*words, "--set", "update.minibatches=16").stdout
