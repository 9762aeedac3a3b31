"""Whole processes: kills, interrupts, two writers, and the small real model. Marked slow."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from adidem.core.errors import ConfigError
from adidem.core.runs.store import RunStore
from command_line import started

pytestmark = pytest.mark.slow

ADIDEM = [sys.executable, "-m", "adidem"]


def run(folder, *words):
    return [*ADIDEM, "run", "hico", "--out", str(folder), "--json", *words]


def episodes(folder):
    from attrs import evolve

    with RunStore(folder) as store:
        return [evolve(e, seconds={}, turns=tuple(evolve(t, seconds=0.0) for t in e.turns)) for e in store.episodes()]


def test_all_240_test_tasks_are_verified_between_candid_agents(tmp_path):
    done = subprocess.run(run(tmp_path / "run"), capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["episodes"] == {"scored": 240, "failed": 0, "owed": 0}
    assert result["metrics"]["verified_success"]["value"] == 1.0


@pytest.fixture
def model(stub, monkeypatch):
    """The words that play the test tasks with a slow endpoint as agent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    stub.latency = 0.02
    stub.answer = lambda body: (
        {"outcome": "decline", "terms": None} if "response_format" in body else "What would suit you?"
    )
    return "--agent", "openai/stub", "--api-base", stub.url, "--turns", "4", "--concurrency", "4"


def stored(folder):
    """What the store holds, byte by byte; nothing where it is not there yet."""
    try:
        with RunStore(folder) as store:
            return {row[:3]: row[3] for row in store._db.execute("SELECT task, barrier, repeat, data FROM episodes")}
    except ConfigError:
        return {}


def test_killed_fifty_times_at_random_moments_nothing_scored_is_lost_or_played_twice(tmp_path, model):
    """Four of five soon after it has begun to write, however fast the machine is, the fifth before or anywhere."""
    whole, part = tmp_path / "whole", tmp_path / "part"
    subprocess.run(run(whole, *model), capture_output=True, check=True)
    rng, before, midway = Random(5), {}, 0
    for number in range(50):
        resume = ["--resume"] if part.exists() else []
        process = subprocess.Popen(run(part, *model, *resume), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if number % 5:
            while process.poll() is None and len(stored(part)) <= len(before):
                time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.06 if number % 5 else 1.5))
        running = process.poll() is None
        process.kill()
        process.wait()
        now = stored(part)
        assert before.items() <= now.items()
        midway += running and len(before) < len(now) < 240
        before = now
    assert midway >= 25, "so many were killed in the midst of writing"
    done = subprocess.run(run(part, *model, "--resume"), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1])["episodes"] == {"scored": 240, "failed": 0, "owed": 0}
    assert before.items() <= stored(part).items()
    assert episodes(part) == episodes(whole)


def test_a_real_full_disk_stops_the_run_and_loses_nothing(tmp_path):
    """The limit on the size of files that a process may write, as a small disk."""
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000));"
        "from adidem.core.cli.main import main; main()"
    )
    words = run(tmp_path / "run")[3:]
    stopped = subprocess.run([sys.executable, "-c", limited, *words], capture_output=True, text=True, check=False)
    assert stopped.returncode == 2, stopped.stderr
    assert "cannot be written" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    before = stored(tmp_path / "run")
    assert 0 < len(before) < 240
    done = subprocess.run(run(tmp_path / "run", "--resume"), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1])["episodes"] == {"scored": 240, "failed": 0, "owed": 0}
    assert before.items() <= stored(tmp_path / "run").items()


def test_an_interrupt_finishes_what_is_in_flight_and_exits_130(tmp_path):
    process = started(run(tmp_path / "run", "--repeats", "20"), tmp_path / "run")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--resume" in said
    with RunStore(tmp_path / "run") as store:
        assert all(row["status"] == "scored" for row in store.rows())


def test_two_processes_cannot_write_one_run(tmp_path):
    process = started(run(tmp_path / "run", "--repeats", "20"), tmp_path / "run")
    second = subprocess.run(
        run(tmp_path / "run", "--repeats", "20", "--resume"), capture_output=True, text=True, check=False
    )
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert second.returncode == 2
    assert "being written by another process" in second.stderr


def test_of_two_that_start_one_run_at_once_one_plays_it(tmp_path):
    both = [
        subprocess.Popen(run(tmp_path / "run"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 2], said
    assert any("being written by another process" in each or "exists: give --resume" in each for each in said)
    assert len(episodes(tmp_path / "run")) == 240


def test_a_second_interrupt_stops_at_once_and_what_was_scored_is_kept(tmp_path, model, stub):
    stub.latency = 1.0
    process = started(run(tmp_path / "run", *model), tmp_path / "run")
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "adidem: interrupted; what is in flight is finished first (" in said
    assert "); interrupt again to stop at once" in said
    before = stored(tmp_path / "run")
    assert before
    stub.latency = 0.0
    done = subprocess.run(run(tmp_path / "run", *model, "--resume"), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1])["episodes"] == {"scored": 240, "failed": 0, "owed": 0}
    assert before.items() <= stored(tmp_path / "run").items()


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
