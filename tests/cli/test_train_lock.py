"""One process at a time writes a training run, a study or a cell of it; one that was killed is in nobody's way."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
import yaml

from adidem.core.errors import ConfigError
from adidem.core.locking import held
from adidem.core.training.checkpoint import LOCK
from adidem.core.training.study import cell

RECIPE: dict[str, Any] = {
    "policy": {"tiny": {"width": 32, "layers": 1, "heads": 2, "inner": 32}},
    "scenarios": {"families": ["authorization"]},
    "play": {"partner": "lab:partner", "turns": 4},
    "imitation": {"scenarios": 2, "each": 1, "steps": 1, "batch": 2},
    "conversations": 8,
    "updates": 0,
    "tensorboard": False,
}
HOLDING = """
import sys, time
from pathlib import Path
from adidem.core.locking import locked
locked(Path(sys.argv[1]), sys.argv[2])
print("held", flush=True)
time.sleep(60)
"""
BUSY = "k2 is being written by another process"


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_trained_is_not_trained_by_another(cli, tmp_path):
    """Neither begun nor gone on with, while it is; a process that was killed holds nothing."""
    (tmp_path / "t.yaml").write_text(yaml.safe_dump(RECIPE))
    begin = "train", "pacpo", "--recipe", "t.yaml", "--out", "k2", "--quiet"
    command = [sys.executable, "-c", HOLDING, str(tmp_path / "k2"), LOCK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert BUSY in cli(*begin, code=2).stderr
        other.kill()
    cli(*begin)
    before = content(tmp_path / "k2")
    with held(tmp_path / "k2", LOCK):
        assert BUSY in cli("train", "--resume", "--out", "k2", code=2).stderr
        assert "is not empty; go on with --resume" in cli(*begin, code=2).stderr
        assert content(tmp_path / "k2") == before
        assert json.loads(cli("train", "--resume", "--out", "k2", "--dry-run", "--json").stdout)["dry_run"]
    cli("train", "--resume", "--out", "k2", "--quiet")


def test_a_study_that_runs_is_not_run_by_another(cli, tmp_path):
    study = {"configurations": [{"label": "ppo", "trainer": "ppo"}]}
    (tmp_path / "t.yaml").write_text(yaml.safe_dump({**RECIPE, "study": study}))
    with held(tmp_path / "k2", LOCK):
        assert BUSY in cli("train", "--recipe", "t.yaml", "--out", "k2", code=2).stderr
        assert [path.name for path in (tmp_path / "k2").iterdir()] == [LOCK]


def test_a_cell_that_outlived_its_study_ends_before_the_next_looks_at_it(tmp_path, monkeypatch, capsys):
    """What it found stays; where it found nothing the cell is run."""
    ran: list[Path] = []
    monkeypatch.setattr(cell, "_run", ran.append)
    with held(tmp_path, LOCK):
        other = Thread(target=cell.run_cell, args=(tmp_path,))
        other.start()
        sleep(0.2)
        assert other.is_alive()
        (tmp_path / cell.RESULT).write_text("{}")
    other.join(10)
    assert ran == []
    assert "waits: another process is at this cell" in capsys.readouterr().err
    (tmp_path / cell.RESULT).unlink()
    cell.run_cell(tmp_path)
    assert ran == [tmp_path]


def test_a_folder_that_cannot_be_locked_is_not_called_another_process_s(tmp_path, monkeypatch):
    from adidem.core import locking

    def without_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(locking.fcntl, "flock", without_locks)
    with pytest.raises(ConfigError, match=r"train\.lock cannot be locked: No locks available"), held(tmp_path, LOCK):
        pass
