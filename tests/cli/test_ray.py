"""`--executor ray` on a real local cluster of two workers: the same episodes as here, whatever dies meanwhile."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from attrs import evolve

from adidem.core.runs.store import RunStore
from command_line import started

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed (extra `scale`)"),
]

ADIDEM = [sys.executable, "-P", "-m", "adidem"]
OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"
CLUSTER = """
import sys, ray
found = ray.init(address="local", num_cpus=2, include_dashboard=False, object_store_memory=128 * 2**20)
print(found.address_info["gcs_address"], flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def folder():
    """Where Ray keeps its sockets and logs: a short path, since that of a socket must be."""
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def environment(folder):
    return {
        **os.environ,
        "RAY_TMPDIR": str(folder),
        "RAY_USAGE_STATS_ENABLED": "0",
        "ADIDEM_CACHE": str(folder / "c"),
        "HOME": str(folder),
    }


@pytest.fixture(scope="module")
def cluster(environment):
    """The environment in which a cluster of others is found, of two processors."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    env = {**environment, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 4}
    with subprocess.Popen([sys.executable, "-c", CLUSTER], text=True, env=env, **pipes) as process:
        yield {**env, "RAY_ADDRESS": process.stdout.readline().strip()}
        process.stdin.close()


def words(out, *more, on="ray"):
    return [*ADIDEM, "run", "hico", "--out", str(out), "--json", "--executor", on, *map(str, more)]


def done(command, env, code=0):
    """What a run printed at its end."""
    found = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=False)
    assert found.returncode == code, found.stderr
    return json.loads(found.stdout.splitlines()[-1])["episodes"] if found.stdout else found.stderr


def episodes(out):
    """Every stored episode without its times."""
    with RunStore(out) as store:
        return [evolve(e, seconds={}, turns=tuple(evolve(t, seconds=0.0) for t in e.turns)) for e in store.episodes()]


def workers(pid):
    """The processes of Ray's workers below a process, by what they call themselves."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    below, found = {pid}, []
    for _ in range(6):
        below |= {child for child, parent in parents.items() if parent in below}
    for child in below:
        try:
            if b"ray::Worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
        except OSError:
            continue
    return found


def test_the_same_episodes_as_here_with_a_cluster_of_its_own(environment, tmp_path):
    more = "--repeats", 2, "--limit", 24, "--seed", 5, "--barrier", "semantic_vagueness:0.6"
    assert done(words(tmp_path / "ray", *more, "--workers", 2), environment)["scored"] == 96
    assert done(words(tmp_path / "here", *more, on="local"), environment)["scored"] == 96
    assert episodes(tmp_path / "ray") == episodes(tmp_path / "here")


def test_a_plugin_file_and_a_registry_in_the_working_folder_reach_the_workers(cluster, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(OUTSIDE.read_text())
    (tmp_path / "mumble.py").write_text((OUTSIDE.parent / "mumble.py").read_text())
    (tmp_path / "registry.yaml").write_text("plugins: [mumble.py]\nsuites: {hico: {turns: 6}}\n")
    monkeypatch.chdir(tmp_path)
    more = "--plugin", "mine.py", "--family", "meeting_place", "--barrier", "mumble"
    for on in ("ray", "local"):
        assert done(words(on, *more, on=on), cluster)["scored"] == 32
    assert episodes(tmp_path / "ray") == episodes(tmp_path / "local")
    with RunStore(tmp_path / "ray") as store:
        assert store.get("config")["turns"] == 6


def test_a_killed_workers_episodes_are_played_again_and_none_is_there_twice(environment, tmp_path):
    more = "--repeats", 6, "--seed", 3
    process = started(words(tmp_path / "ray", *more, "--workers", 2), tmp_path / "ray", scored=50, env=environment)
    killed = 0
    for _ in range(3):
        for pid in workers(process.pid)[:1]:
            os.kill(pid, signal.SIGKILL)
            killed += 1
        time.sleep(2)
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert killed >= 2
    assert said.count("a Ray worker was lost") >= 1
    assert json.loads(out.splitlines()[-1])["episodes"] == {"scored": 1440, "failed": 0, "owed": 0}
    assert done(words(tmp_path / "here", *more, on="local"), environment)["scored"] == 1440
    assert episodes(tmp_path / "ray") == episodes(tmp_path / "here")


def test_an_interrupt_finishes_what_is_in_flight_and_either_executor_goes_on(environment, tmp_path):
    more = "--repeats", 6
    process = started(words(tmp_path / "ray", *more, "--workers", 2), tmp_path / "ray", scored=20, env=environment)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert "--resume" in said
    with RunStore(tmp_path / "ray") as store:
        rows = list(store.rows())
        assert 20 <= len(rows) < 1440
        assert {row["status"] for row in rows} == {"scored"}
        before = {e.key: e for e in store.episodes()}
    process = started(
        [*words(tmp_path / "ray", *more, "--workers", 2), "--resume"], tmp_path / "ray", scored=300, env=environment
    )
    process.kill()  # and the driver may die, too
    process.communicate()
    counts = done([*words(tmp_path / "ray", *more, on="local"), "--resume"], environment)
    assert counts == {"scored": 1440, "failed": 0, "owed": 0}
    with RunStore(tmp_path / "ray") as store:
        after = {e.key: e for e in store.episodes()}
    assert before.items() <= after.items(), "nothing is played twice"


@pytest.fixture
def model(stub):
    """The words that play with the stub as agent, and its environment's key."""
    stub.answer = lambda body: (
        {"outcome": "decline", "terms": None} if "response_format" in body else "What would suit you?"
    )
    return "--agent", "openai/stub", "--api-base", stub.url, "--turns", 4


def test_limits_are_the_drivers_and_workers_share_what_is_allowed_at_once(cluster, model, stub, tmp_path):
    stub.latency = 0.05
    more = *model, "--concurrency", 4
    said = done(words(tmp_path / "run", *more, "--max-tokens", 20_000), cluster, code=130)
    assert 0 < said["scored"] < 240
    assert said["failed"] == 0
    counts = done([*words(tmp_path / "run", *more), "--resume"], cluster)
    assert counts == {"scored": 240, "failed": 0, "owed": 0}
    assert stub.most_at_once <= 4
    agents = {headers["user-agent"].partition("/")[0] for headers in stub.headers}
    assert agents == {"adidem"}


def test_a_worker_that_cannot_play_says_why_and_the_run_can_be_resumed(cluster, tmp_path, monkeypatch):
    plugin = tmp_path / "mine.py"
    plugin.write_text(OUTSIDE.read_text() + "\nimport os\nassert 'DRIVER' in os.environ\n")
    more = "--plugin", plugin, "--family", "meeting_place"
    said = done(words(tmp_path / "run", *more), {**cluster, "DRIVER": "1"}, code=2)
    assert "a Ray worker cannot play this run" in said
    assert "meeting_place" in said
    assert "left out as broken" in said
    assert "Traceback" not in said
    again = [*words(tmp_path / "run", *more, on="local"), "--resume"]
    assert done(again, {**cluster, "DRIVER": "1"})["scored"] == 16


def test_planted_keys_are_not_in_what_ray_writes(environment, folder, model, tmp_path):
    key = "sk-planted-" + "7" * 24
    counts = done(words(tmp_path / "run", *model, "--limit", 8, "--workers", 2), {**environment, "OPENAI_API_KEY": key})
    assert counts["scored"] == 8
    for place in (folder, tmp_path):
        files = [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()]
        assert files
        assert [path for path in files if b"7" * 12 in path.read_bytes()] == []
