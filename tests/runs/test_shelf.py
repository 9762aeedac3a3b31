"""Scenarios put away small are the same scenarios, and a data set of ten thousand takes little memory."""

import json
import subprocess
import sys
from hashlib import sha256

import pytest
from attrs import evolve

from adidem.core.errors import ConfigError
from adidem.core.runs import plan_jobs
from adidem.core.runs.scenarios import Selection, select
from adidem.core.runs.shelf import Shelf
from adidem.core.scenarios import dump_bank, load_bank
from adidem.core.setup import load
from adidem.plugins.families.sotopia import OWN

BANK = load_bank("hico")[::7]
PEAK = """
import sys
from pathlib import Path
from adidem.core.runs.recipe import Recipe
recipe = Recipe("sotopia", "scripted:candid", sets=(f"suites.sotopia.data={sys.argv[1]}",))
prepared = recipe.prepared(recipe.setup())
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(len(prepared.jobs), int(peak.split()[1]) // 1024)
"""


def test_what_is_put_away_comes_back_the_same():
    shelf = Shelf.of(iter(BANK))
    assert len(shelf) == len(BANK)
    assert list(shelf) == list(BANK)
    assert [shelf[place] for place in range(len(BANK))] == list(BANK)
    assert list(shelf[2:9:3]) == list(BANK[2:9:3])
    assert b"".join(shelf.lines()) == dump_bank(BANK)
    assert Selection(shelf, {}).digest == Selection(BANK, {}).digest == sha256(dump_bank(BANK)).hexdigest()[:16]


def test_what_json_would_change_is_kept_as_it_is():
    first = BANK[0].a[0]
    odd = evolve(BANK[0], a=(evolve(first, value=("a", "tuple")), *BANK[0].a[1:]))
    cannot = evolve(BANK[1], a=(evolve(first, value=object()), *BANK[1].a[1:]))
    shelf = Shelf.of([odd, cannot])
    assert [shelf[0], shelf[1]] == [odd, cannot]
    assert shelf[0].a[0].value == ("a", "tuple")


def test_the_same_jobs_are_planned_from_a_shelf():
    assert [job.key for job in plan_jobs(Shelf.of(BANK), ["none", "x"], 2, 30)] == [
        job.key for job in plan_jobs(BANK, ["none", "x"], 2, 30)
    ]


def selected(path):
    setup = load(overrides=[f"suites.sotopia.data={path}"])
    return select(setup, setup.suite("sotopia"))


def test_a_data_set_is_read_as_a_stream_and_its_faults_are_placed(tmp_path):
    lines = OWN.read_text().splitlines()
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(lines))
    found = selected(path)
    assert isinstance(found.scenarios, Shelf)
    assert list(found.scenarios) == list(load().components.get("family", "sotopia").scenarios("test", 0, None))
    path.write_text("\n".join([*lines[:3], "{", *lines[3:]]))
    with pytest.raises(ConfigError, match=r"mine\.jsonl:4: no JSON"):
        selected(path)


@pytest.mark.slow
def test_ten_thousand_episodes_of_a_data_set_take_little_memory(tmp_path):
    entry = json.loads(OWN.read_text().splitlines()[0])
    path = tmp_path / "many.jsonl"
    with path.open("w") as out:
        for number in range(10_000):
            out.write(
                json.dumps({**entry, "scenario": f"{entry['scenario']} It is day {number}. " + "Words. " * 300}) + "\n"
            )
    done = subprocess.run([sys.executable, "-P", "-c", PEAK, str(path)], check=True, capture_output=True, text=True)
    jobs, megabytes = map(int, done.stdout.split())
    assert jobs == 20_000
    assert megabytes < 150
