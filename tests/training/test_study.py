"""Studies: cells that are done are never run again, whatever was killed, and the tables pair task by task."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adidem.core.errors import ConfigError
from adidem.core.setup import load
from adidem.core.training.recipe import read_recipe
from adidem.core.training.study import cell
from adidem.core.training.study.cell import RESULT
from adidem.core.training.study.figures import FIGURES
from adidem.core.training.study.run import BASE, Source, cells_of, run_study
from adidem.core.training.study.table import write_tables

LAB = Path(__file__).resolve().parents[2] / "recipes" / "lab.yaml"

SMALL = """
base: {lab}
policy: {{model: tiny, tiny: {{width: 32, layers: 1, heads: 2, inner: 32}}}}
imitation: {{scenarios: 12, each: 2, steps: 4, batch: 8}}
updates: 3
conversations: 16
evaluation: {{split: test, temperatures: [1.0], limit: 8, shuffled: true}}
study:
  seeds: [0]
  configurations:
    - {{label: {label}, trainer: ppo}}
    - {{label: told, instructed: true}}
"""


def recipe(folder: Path, label: str = "ppo") -> Path:
    file = folder / "small.yaml"
    file.write_text(SMALL.format(lab=os.path.relpath(LAB, folder), label=label))
    return file


def test_every_configuration_has_a_cell_for_each_seed_and_what_is_not_trained_has_one(tmp_path: Path) -> None:
    read = read_recipe(recipe(tmp_path), ["study.seeds=[3, 4]"])
    assert read.recipe.study is not None
    cells = cells_of(read, read.recipe.study, Source())
    assert [cell.name for cell in cells] == [BASE, "ppo-3", "told-3", "ppo-4"]
    assert [cell.told.trains for cell in cells] == [False, True, False, True]
    assert [cell.told.document["seed"] for cell in cells] == [3, 3, 3, 4]
    assert [cell.told.instructed for cell in cells] == [False, False, True, False]
    assert all("study" not in cell.told.document for cell in cells)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("study.configurations=[{label: a, trainer: ppo}, {label: a, trainer: grpo}]", "labels must differ"),
        ("study.configurations=[{label: base, trainer: ppo}]", "labels must differ"),
        ("study.configurations=[{label: a, trainer: pppo}]", "pppo"),
        ("study.configurations=[{label: a, trainer: ppo, stages: [{trainer: ppo}]}]", "not both"),
        ("study.configurations=[{label: a, trainer: pacpo, options: {gate: ajar}}]", "gate"),
    ],
)
def test_a_study_that_cannot_work_is_refused_before_anything_runs(tmp_path: Path, change: str, why: str) -> None:
    read = read_recipe(recipe(tmp_path), [change])
    assert read.recipe.study is not None
    with pytest.raises(ConfigError, match=why):
        cells_of(read, read.recipe.study, Source())


def result(successes: dict[str, float], text: str = "") -> str:
    rows = [
        {
            "task": task,
            "scenario": task.rsplit("/", 2)[0],
            "family": task.split("/")[0],
            "found": dict.fromkeys(FIGURES, value),
            "text": [text] if text else [],
        }
        for task, value in successes.items()
    ]
    told: dict[str, Any] = {"curve": [{"update": 1, "reward": 0.5, "verified_success": 0.5, "seconds": 2.0}]}
    return json.dumps({**told, "trials": {"T=1": rows}, "leak": None, "seconds_trained": 1.0, "peak_mb": 10})


def test_differences_are_paired_task_by_task_over_seeds(tmp_path: Path) -> None:
    tasks = [f"f/test/{n:02d}/{world}/first" for n in range(8) for world in "ab"]
    cells = {
        BASE: dict.fromkeys(tasks, 0.0),
        "ppo-0": {task: float(n % 2) for n, task in enumerate(tasks)},
        "ppo-1": {task: float(n % 2) for n, task in enumerate(tasks)},
        "pacpo-0": dict.fromkeys(tasks, 1.0),
        "pacpo-1": {task: float(n % 2) for n, task in enumerate(tasks)},
    }
    for name, successes in cells.items():
        (tmp_path / "cells" / name).mkdir(parents=True)
        (tmp_path / "cells" / name / RESULT).write_text(result(successes, "someone said this"))
    write_tables(tmp_path, ["ppo", "pacpo"])
    told = json.loads((tmp_path / "table.json").read_text())
    found = {(d["first"], d["second"]): d["difference"] for d in told["differences"]}
    assert found == {(BASE, "ppo"): 0.5, (BASE, "pacpo"): 0.75, ("ppo", "pacpo"): 0.25}
    assert told["configurations"]["pacpo"]["figures"]["T=1"]["verified_success"]["n"] == 32
    assert told["configurations"]["pacpo"]["spread"] == 0.25
    text = (tmp_path / "table.md").read_text()
    assert "| pacpo − ppo | T=1 | 0.250" in text
    key = json.loads((tmp_path / "reading" / "key.json").read_text())
    assert {told["configuration"] for told in key.values()} == {BASE, "ppo", "pacpo"}
    for code in key:
        read = (tmp_path / "reading" / f"{code}.md").read_text()
        assert "someone said this" in read
        assert "ppo" not in read


def test_credit_that_only_the_second_stage_has_is_told_from_its_own_first_update_on(tmp_path: Path) -> None:
    told = json.loads(result({"f/test/00/a/first": 1.0}))
    line = told["curve"][0]
    told["curve"] = [line, {**line, "credit/paired": 0.25}, {**line, "credit/paired": 0.5}, line]
    (tmp_path / "cells" / "two-0").mkdir(parents=True)
    (tmp_path / "cells" / "two-0" / RESULT).write_text(json.dumps(told))
    write_tables(tmp_path, ["two"])
    assert "| two | 0.250 → 0.500 |" in (tmp_path / "table.md").read_text()


def test_a_label_that_ends_in_a_number_is_not_taken_for_a_seed(tmp_path: Path) -> None:
    for name in ("grpo-4-0", "grpo-1"):
        (tmp_path / "cells" / name).mkdir(parents=True)
        (tmp_path / "cells" / name / RESULT).write_text(result({"f/test/00/a/first": 1.0}))
    write_tables(tmp_path, ["grpo-4", "grpo"])
    told = json.loads((tmp_path / "table.json").read_text())["configurations"]
    assert {label: row["seeds"] for label, row in told.items()} == {"grpo-4": [0], "grpo": [1]}


def test_a_killed_cell_goes_on_by_its_own_settings_and_says_so(tmp_path: Path, capsys: Any) -> None:
    """A default that is another one by now changes nothing of it."""
    read = read_recipe(recipe(tmp_path))
    assert read.recipe.study is not None
    told = cells_of(read, read.recipe.study, Source())[1].told
    file = tmp_path / "recipe.json"
    assert cell.made_ready(tmp_path, load(), told).recipe.update.clip == 0.2
    document = json.loads(file.read_text())
    document["recipe"]["update"]["clip"] = 0.5
    file.write_text(json.dumps(document))
    (tmp_path / "checkpoints" / "000001").mkdir(parents=True)
    assert cell.made_ready(tmp_path, load(), told).recipe.update.clip == 0.5
    assert "goes on with the settings that it was begun with: update.clip 0.5" in capsys.readouterr().err


def test_what_is_no_study_any_more_and_what_is_missing_is_refused_first(tmp_path: Path) -> None:
    file, out = recipe(tmp_path), tmp_path / "study"
    with pytest.raises(ConfigError, match=r"policy.start: hf:.*nowhere: there is no such folder"):
        run_study(read_recipe(file, ["policy.start=nowhere"]), out)
    assert not out.exists()
    out.mkdir()
    (out / "study.json").write_text("[")
    with pytest.raises(ConfigError, match=r"study.json: says no recipe"):
        run_study(read_recipe(file), out)


@pytest.mark.slow
def test_a_study_that_was_killed_goes_on_and_runs_no_finished_cell_again(tmp_path: Path) -> None:
    file, out = recipe(tmp_path), tmp_path / "study"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-P", "-m", "adidem", "train", "--recipe", str(file), "--out", str(out)]
    process = subprocess.Popen(command, env=env, start_new_session=True, stderr=subprocess.DEVNULL)
    kept = out / "cells" / "ppo-0" / "checkpoints"
    deadline = time.monotonic() + 600
    while not (kept.is_dir() and any(kept.iterdir())) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = {file: file.stat().st_mtime_ns for file in out.glob(f"cells/*/{RESULT}")}
    subprocess.run(command, env=env, check=True, capture_output=True)
    results = {file.parent.name: file for file in out.glob(f"cells/*/{RESULT}")}
    assert set(results) == {BASE, "ppo-0", "told-0"}
    assert all(file.stat().st_mtime_ns == at for file, at in before.items())
    curve = json.loads(results["ppo-0"].read_text())["curve"]
    assert [line["update"] for line in curve if "reward" in line] == [1, 2, 3]
    told = {name: file.stat().st_mtime_ns for name, file in results.items()}
    table = (out / "table.md").read_text()
    subprocess.run(command, env=env, check=True, capture_output=True)
    assert {name: file.stat().st_mtime_ns for name, file in results.items()} == told
    assert (out / "table.md").read_text() == table
    with pytest.raises(ConfigError, match=r"holds another study: updates: was \d, is now 4; take another --out"):
        run_study(read_recipe(file, ["updates=4"]), out)


def test_other_options_of_what_plays_and_rates_are_another_study(tmp_path):
    from adidem.core.training.study.run import _settle

    recipe, components = {"updates": 3}, {"judges": {"integrity_rules": {"loops": 1}}}
    _settle(tmp_path, recipe, components)
    _settle(tmp_path, recipe, components)
    with pytest.raises(ConfigError, match=r"another study: judges\.integrity_rules\.loops: was 1, is now 9; take"):
        _settle(tmp_path, recipe, {"judges": {"integrity_rules": {"loops": 9}}})
