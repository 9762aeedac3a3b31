"""Whole processes: kills, interrupts, two writers, and the small real model. Marked slow."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adidem.core.runs.store import RunStore

pytestmark = pytest.mark.slow

ADIDEM = [sys.executable, "-m", "adidem"]


def run(folder, *words):
    return [*ADIDEM, "run", "hico", "--out", str(folder), "--json", *words]


def started(folder, *words, scored=1):
    """A run in its own process, once it has scored something."""
    process = subprocess.Popen(run(folder, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if process.poll() is not None:
            break
        try:
            with RunStore(folder) as store:
                if len(store.scored()) >= scored:
                    break
        except Exception:  # noqa: BLE001  the file is not there yet, or has no table yet
            pass
        time.sleep(0.02)
    return process


def episodes(folder):
    from attrs import evolve

    with RunStore(folder) as store:
        return [evolve(e, seconds={}, turns=tuple(evolve(t, seconds=0.0) for t in e.turns)) for e in store.episodes()]


def test_all_240_test_tasks_are_verified_between_candid_agents(tmp_path):
    done = subprocess.run(run(tmp_path / "run"), capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["episodes"] == {"scored": 240, "failed": 0, "owed": 0}
    assert result["metrics"]["verified_success"]["value"] == 1.0


def test_killed_at_any_moment_nothing_scored_is_lost_and_resume_completes(tmp_path):
    whole, part = tmp_path / "whole", tmp_path / "part"
    subprocess.run(run(whole), capture_output=True, check=True)
    for kill, wanted in enumerate((1, 40, 90, 150, 200)):
        process = started(part, *(["--resume"] if kill else []), scored=wanted)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with RunStore(part) as store:
            assert len(store.scored()) >= wanted
    done = subprocess.run(run(part, "--resume"), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1])["episodes"] == {"scored": 240, "failed": 0, "owed": 0}
    assert episodes(part) == episodes(whole)


def test_an_interrupt_finishes_what_is_in_flight_and_exits_130(tmp_path):
    process = started(tmp_path / "run", "--repeats", "20")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in said
    with RunStore(tmp_path / "run") as store:
        assert all(row["status"] == "scored" for row in store.rows())


def test_two_processes_cannot_write_one_run(tmp_path):
    process = started(tmp_path / "run", "--repeats", "20")
    second = subprocess.run(
        run(tmp_path / "run", "--repeats", "20", "--resume"), capture_output=True, text=True, check=False
    )
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert second.returncode == 2
    assert "being written by another process" in second.stderr


def test_the_small_model_plays_and_its_records_meet_the_schema(tmp_path):
    command = run(tmp_path / "run", "--agent", "local:smollm2", "--limit", "2", "--turns", "4", "--concurrency", "2")
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    found = episodes(tmp_path / "run")
    assert [e.status for e in found] == ["scored", "scored"]
    for episode in found:
        written = episode.records[episode.seat]
        assert written.outcome is not None or "missing" in written.unreadable
        assert episode.usage["agent"].completion_tokens > 0


def test_help_and_plugins_need_nothing_but_the_package(tmp_path):
    for words in (["--help"], ["plugins"], ["schema"], ["--version"]):
        subprocess.run([*ADIDEM, *words], cwd=tmp_path, capture_output=True, check=True)
    assert list(Path(tmp_path).iterdir()) == []
