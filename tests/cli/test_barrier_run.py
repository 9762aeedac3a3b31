"""`adidem run hico` behind each barrier, from the command line."""

import json
import subprocess
import sys

import pytest

from adidem.core.runs.store import RunStore

NAMES = ("semantic_vagueness", "sociocultural_mismatch", "emotional_interference")


@pytest.mark.parametrize(
    "condition", [f"{name}:0.6" for name in NAMES] + ["semantic_vagueness:0.3+emotional_interference:0.9"]
)
def test_a_run_behind_each_barrier(condition, tmp_path):
    command = [sys.executable, "-P", "-m", "adidem", "run", "hico", "--agent", "scripted:guarded"]
    command += ["--partner", "scripted:candid", "--barrier", condition, "--limit", "24"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "run"), "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["episodes"]["scored"] == 48
    with RunStore(tmp_path / "run") as store:
        episodes = list(store.episodes())
    behind = [e for e in episodes if e.barrier != "none"]
    assert len(behind) == 24
    assert all(set(e.extra["barrier"]) >= {"severity", "observed", "quotas", "complied"} for e in behind)
    assert all("barrier" not in e.extra for e in episodes if e.barrier == "none")
    changed = [turn for e in behind for turn in e.turns if turn.meant not in (None, turn.text)]
    assert changed
    assert all(turn.seat != e.seat for e in behind for turn in e.turns if turn.meant is not None)
