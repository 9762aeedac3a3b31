"""`adidem train` end to end: a short lab run, a trainer from outside, going on, and what bad input gets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from adidem.core.training.metrics import read

RECIPE: dict[str, Any] = {
    "policy": {"tiny": {"width": 32, "layers": 1, "heads": 2, "inner": 32}},
    "play": {"partner": "lab:partner", "turns": 4},
    "reward": {"conduct": "gate"},
    "imitation": {"scenarios": 12, "each": 1, "steps": 8, "batch": 8},
    "conversations": 24,
    "updates": 2,
    "tensorboard": False,
}

LEARNING: dict[str, Any] = {
    "play": {**RECIPE["play"], "demonstrator": "lab:expert"},
    "stages": [{"trainer": "bc", "updates": 1, "update": {"lr": 0.01, "epochs": 40}}, {"trainer": "pacpo"}],
}
"""The start above says nothing that means anything, and where all fare alike nothing is learned. After these
demonstrations some records can be read, some are right, and an update of PaCPO changes the policy."""

TRAINER = '''
"""Who asks nothing gets nothing: the return, spread over the turns."""

from typing import ClassVar

import adidem
from adidem.core.domain import Objective, Sampling, TurnCredit
from attrs import field, frozen
from attrs.validators import ge


@frozen
class Spread:
    name: ClassVar[str] = "spread"
    sampling: ClassVar[Sampling] = Sampling("pairs", samples=1)
    objective: ClassVar[Objective] = Objective(critic=True, whiten=True)
    bonus: float = field(default=0.0, validator=ge(0))

    def credit(self, rollouts):
        rows = (tuple((sum(r.rewards) + self.bonus) / len(r.rewards) for _ in r.rewards) for r in rollouts)
        return TurnCredit("rewards", tuple(rows), {"bonus": self.bonus})


@adidem.hookimpl
def adidem_register_trainers(register):
    register(Spread)
'''


@pytest.fixture
def recipe(tmp_path: Path) -> Any:
    """Writes the small recipe with changes; its path."""

    def write(name: str = "small.yaml", **changes: Any) -> Path:
        path = tmp_path / name
        path.write_text(yaml.safe_dump({**RECIPE, **changes}))
        return path

    return write


def numbers(run: Path) -> list[dict[str, Any]]:
    """A run's figures without its seconds."""
    return [{k: v for k, v in line.items() if not k.startswith("seconds")} for line in read(run)]


def test_two_updates_in_the_lab(cli, recipe, tmp_path):
    """Imitation, two updates of PaCPO that teach something, figures, checkpoints, and a policy that is saved."""
    done = cli("train", "--recipe", recipe(**LEARNING), "--out", "run", "--json")
    said = json.loads(done.stdout)
    assert (said["run"], said["policy"]) == ("run", "run/policy")
    shown, *lines = read(tmp_path / "run")
    assert (shown["update"], [line["update"] for line in lines]) == (1, [2, 3])
    for line in lines:
        assert line["conversations"] == 24
        assert "nothing_learned" not in line
        assert line["changed"] > 0.9
        assert line["credit/within"] > 0
        assert line["first_ratio_error"] < 1e-4
        assert {"reward", "feasibility", "integrity", "verified_success", "entropy", "kl", "clip_fraction"} <= set(line)
        assert {"credit/within", "credit/paired", "credit/gate", "credit/variance_left"} <= set(line)
    assert {path.name for path in (tmp_path / "run" / "policy").iterdir()} >= {"adidem.json", "model.safetensors"}
    assert said["last"] == lines[-1]
    again = cli("train", "--recipe", recipe(**LEARNING), "--out", "run", "--resume")
    assert "play it with --agent hf:run/policy" in again.stdout
    assert read(tmp_path / "run") == [shown, *lines]


def test_stages_of_several_trainers_and_options(cli, recipe, tmp_path):
    """Behaviour cloning of the lab's expert, then PaCPO, each with its options; the document says which."""
    stages = [
        {"trainer": "bc", "updates": 1, "options": {"samples": 1}},
        {"trainer": "pacpo", "updates": 1, "options": {"gate": "open"}},
    ]
    play = {**RECIPE["play"], "demonstrator": "lab:expert", "barrier": "semantic_vagueness:0.5"}
    path = recipe(stages=stages, play=play, trainers={"pacpo": {"within": 0.5}})
    cli("train", "--recipe", path, "--out", "run", "--quiet")
    lines = read(tmp_path / "run")
    assert [line["trainer"] for line in lines] == ["bc", "pacpo"]
    assert 0 <= lines[0]["credit/kept"] <= 1
    phases = json.loads((tmp_path / "run" / "recipe.json").read_text())["phases"]
    assert (phases[0]["options"]["samples"], phases[1]["options"]["gate"], phases[1]["options"]["within"]) == (
        1,
        "open",
        0.5,
    )


def test_a_trainer_from_a_file_outside_trains(cli, recipe, tmp_path):
    """With an option from the recipe, checked as the registry's are."""
    file = tmp_path / "spread.py"
    file.write_text(TRAINER)
    path = recipe(trainers={"spread": {"bonus": 0.5}}, updates=1)
    cli("train", "spread", "--recipe", path, "--plugin", file, "--out", "run", "--quiet")
    (line,) = read(tmp_path / "run")
    assert (line["trainer"], line["credit/bonus"]) == ("spread", 0.5)
    refused = cli("train", "spread", "--recipe", path, "--plugin", file, "--set", "trainers.spread.bonus=-1", code=2)
    assert "--set: trainers.spread.bonus: must be >= 0: -1" in refused.stderr


def test_a_policy_that_diverges_stops_with_the_cause_and_what_is_kept(cli, recipe, tmp_path):
    """One line, exit code 1."""
    sets = ["--set", "update.lr=1", "--set", "update.max_kl=1e-6"]
    said = cli("train", "--recipe", recipe(**LEARNING), *sets, "--out", "run", code=1).stderr
    assert (
        "than max_kl 1e-06: it diverges; lower the learning rate 1 or add kl; run holds what was trained until" in said
    )
    assert "until update 1\n" in said


def test_a_dry_run_lists_what_is_then_done(cli, recipe, tmp_path):
    """Imitation, every stage with its conversations and probes, when the policy is tried in how many episodes, and the
    checkpoints: as the run then does it."""
    path = recipe(
        stages=[{"trainer": "bc", "updates": 1, "conversations": 12}, {"trainer": "pacpo", "updates": 3}],
        play={**RECIPE["play"], "demonstrator": "lab:expert"},
        evaluation={"limit": 8, "every": 3, "shuffled": True},
        save_every=2,
        keep=9,
    )
    found = json.loads(cli("train", "--recipe", path, "--dry-run", "--json").stdout)
    assert (found["start"]["demonstrations"], found["start"]["kept"]) == (12, None)
    cli("train", "--recipe", path, "--out", "run", "--quiet")
    lines = read(tmp_path / "run")
    assert [stage["shapes"]["conversations"] for stage in found["stages"] for _ in range(stage["updates"])] == [
        line["conversations"] for line in lines if line["update"]
    ]
    assert [stage["played_by"] for stage in found["stages"]] == ["lab:expert", "policy"]
    assert [stage["calls_per_update"]["probes"] for stage in found["stages"]] == [0, 48]
    tried = [line["update"] for line in lines if "test/T=1/verified_success" in line]
    assert found["evaluation"]["after_updates"] == tried == [0, 3, 4]
    assert found["evaluation"]["episodes"] == {"T=1": 8, "shuffled": 8}
    assert len(list((tmp_path / "run" / "checkpoints").iterdir())) == found["checkpoints"]["written"] == 3
    assert "made already: 4 updates of the 4" in cli("train", "--out", "run", "--resume", "--dry-run").stdout
    text = cli("train", "--recipe", path, "--dry-run").stdout
    assert "made already, in" in text
    assert "made already: " not in text
    assert "start: imitation of 12 demonstrations in 12 scenarios, 8 steps of 8; made already" in text
    assert "stage 1 of 2, bc: 1 update; in each:" in text
    assert "stage 2 of 2, pacpo: 3 updates; in each:" in text
    assert "24 conversations (6 scenarios × 2 worlds × 2 samples)" in text
    assert "evaluation: 3 passes (after update 0, 3, 4) of 16 episodes (test: T=1 8, shuffled 8): 48 episodes" in text


def test_a_dry_run_from_a_saved_adapter_counts_that_adapter_and_its_base(cli, tmp_path):
    """Not all weights of a model that lies elsewhere."""
    (tmp_path / "tuned").mkdir()
    (tmp_path / "tuned" / "adidem.json").write_text(
        json.dumps({"format": 1, "kind": "adapter", "codec": "chat", "base": "smollm2", "value": True})
    )
    recipe = Path(__file__).parents[2] / "recipes" / "smollm2.yaml"
    words = "train", "--recipe", recipe, "--dry-run", "--json"
    start = *words, "--set", f"policy.start={tmp_path / 'tuned'}", "--set", "policy.adapter=null"
    assert "the adapter's size is not known" in cli(*start, code=2).stderr
    said = {"r": 8, "target_modules": ["q_proj", "v_proj"]}
    (tmp_path / "tuned" / "adapter_config.json").write_text(json.dumps(said))
    fresh = json.loads(cli(*words, "--set", "policy.adapter={rank: 8, targets: [q_proj, v_proj]}").stdout)
    found = json.loads(cli(*start).stdout)
    for name in ("parameters", "trained", "checkpoints"):
        assert found[name] == fresh[name]
    assert found["stages"][0]["memory_gib"] == fresh["stages"][0]["memory_gib"]


def test_a_library_that_is_missing_is_told_before_anything_is_made(cli, recipe, tmp_path, monkeypatch):
    """Not after the minutes of imitation: torch, what an adapter needs, what writes for TensorBoard."""
    from adidem.core.training import needs

    path = recipe(tensorboard=True)
    for name in ("torch", "tensorboard"):
        monkeypatch.setattr(needs, "find_spec", lambda asked, name=name: None if asked == name else object())
        said = cli("train", "ppo", "--recipe", path, "--out", "run", code=2).stderr
        assert f"training needs {name}: pip install -c constraints.txt -e '.[train]'" in said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("said", ["", '{"recipe": {', "[]", "{}", "null", "\x00" * 8])
def test_going_on_from_a_recipe_that_cannot_be_read_names_it(said, cli, recipe, tmp_path):
    """A run's recipe.json that is empty, torn or something else."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "recipe.json").write_text(said)
    refused = cli("train", "grpo", "--recipe", recipe(), "--out", "run", "--resume", code=2)
    assert "--resume: run/recipe.json: " in refused.stderr


def test_going_on_with_another_recipe_is_refused(cli, recipe):
    """The settings are named with both values; how often it is saved may change."""
    cli("train", "grpo", "--recipe", recipe(updates=1), "--out", "run", "--quiet")
    other = cli("train", "grpo", "--recipe", recipe(updates=1, seed=3), "--out", "run", "--resume", code=2)
    assert "run was trained with other settings: seed: was 0, is now 3. That is another run" in other.stderr
    cli("train", "grpo", "--recipe", recipe(updates=1, keep=5), "--out", "run", "--resume", "--quiet")
    taken = cli("train", "grpo", "--recipe", recipe(updates=1), "--out", "run", code=2)
    assert "--out run: is not empty; go on with --resume" in taken.stderr


@pytest.mark.parametrize(
    ("words", "changes", "said"),
    [
        (["pcpo"], {}, "unknown trainer 'pcpo': did you mean 'pacpo'"),
        ([], {}, "which trainer? name it as in `adidem train pacpo`"),
        (["bc"], {}, "trainer 'bc' learns from a demonstrator: set play.demonstrator"),
        (["ppo"], {"conversations": 3}, "holds no scenario: one takes 4"),
        (["ppo"], {"conversations": 26}, "no whole number of scenarios: one takes 4"),
        (["grpo", "--dry-run"], {"conversations": 12}, "set `conversations` to 8 or 16"),
        (["ppo"], {"evaluation": {"limit": 10}}, "evaluation.limit 10: a scenario holds 4 tasks: take 8 or 12"),
        (["ppo", "--dry-run"], {"evaluation": {"limit": 2}}, "a scenario holds 4 tasks: take 4"),
        (["ppo"], {"evaluation": {"held_out": "lab:nobody"}}, "unknown lab agent 'lab:nobody'"),
        (["ppo"], {"evaluation": {"temperatures": []}}, "evaluation.temperatures"),
        (["ppo"], {"policy": {"model": "hf:nowhere"}}, "policy.model: hf:nowhere: there is no such folder"),
        (["ppo"], {"policy": {"start": "nowhere"}}, "nowhere: there is no such folder"),
        (["ppo"], {"conversations": 400}, "an update takes 100 scenarios and there are 96"),
        (["ppo", "--set", "sed=1"], {}, "--set sed=1: unknown setting 'sed': did you mean 'seed'"),
        (["ppo", "--resume"], {}, "--resume needs the run's folder"),
        (["ppo"], {"play": {"partner": "lab:nobody"}}, "unknown lab agent 'lab:nobody'"),
        (
            ["ppo"],
            {"play": {"partner": "base", "barrier": "semantic_vagueness"}},
            "the partner `base` cannot be given one",
        ),
        (["ppo"], {"reward": {"judge": "integrty"}}, "unknown judge 'integrty': did you mean"),
        (["ppo"], {"scenarios": {"bank": "nothing.jsonl"}}, "nothing.jsonl: there is no such file"),
        (["ppo"], {"scenarios": {"families": ["nim"]}}, "unknown family 'nim'"),
        (["ppo"], {"trainers": {"ppo": {"lam": 2}}}, "trainers.ppo.lam: must be <= 1: 2"),
        (["ppo"], {"trainers": {"pacpo": {"gate": "shut"}}}, "trainers.pacpo.gate: must be one of disclosure, open"),
        (["ppo"], {"trainers": {"pcpo": {}}}, "small.yaml:20:3: trainers.pcpo: unknown trainer 'pcpo': did you mean"),
        (
            ["pacpo", "--set", "trainers.pcpo.gate=open"],
            {},
            "--set: trainers.pcpo: unknown trainer 'pcpo': did you mean 'pacpo'",
        ),
        (["ppo"], {"reward": {"judge": "integrity"}}, "judge 'integrity' asks a model: set reward.judge_model"),
        (["ppo"], {"reward": {"raters": ["sotopia"]}}, "judge 'sotopia' asks a model: set reward.judge_model"),
        (
            [],
            {"stages": [{"trainer": "ppo"}, {"trainer": "ppo", "play": {"turn_tokens": 9}}]},
            "play.turn_tokens: is 96 and 9 in different stages",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(cli, recipe, tmp_path, words, changes, said):
    """One line, exit code 2."""
    done = cli("train", *words, "--recipe", recipe(**changes), code=2)
    assert said in done.stderr
    assert not (tmp_path / "runs").exists()


def test_the_schema_of_recipes_knows_the_trainers(cli, recipe):
    """And their options."""
    schema = Draft202012Validator(json.loads(cli("schema", "--recipe").stdout))
    good = yaml.safe_load(recipe(trainers={"pacpo": {"gate": "open"}}).read_text())
    assert schema.is_valid(good)
    assert not schema.is_valid({**good, "trainers": {"pacpo": {"gate": "shut"}}})
    assert not schema.is_valid({**good, "trainers": {"pacpoo": {}}})


@pytest.mark.slow
def test_after_kill_9_a_run_goes_on_to_the_same_numbers(cli, recipe, tmp_path):
    """Killed in the midst of an update of PaCPO, from another process; each update changes the policy."""
    path = recipe(**LEARNING, updates=4)
    cli("train", "--recipe", path, "--out", "whole", "--quiet")
    assert all(line["changed"] > 0.9 for line in read(tmp_path / "whole"))
    command = [
        Path(sys.executable).with_name("adidem"),
        "train",
        "--recipe",
        path,
        "--out",
        "halved",
        "--quiet",
    ]
    process = subprocess.Popen(command, cwd=tmp_path)
    halved, limit = tmp_path / "halved", monotonic() + 300
    while len(read(halved)) < 2 and process.poll() is None and monotonic() < limit:
        sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(read(halved)) in (2, 3)
    cli("train", "--recipe", path, "--out", "halved", "--resume", "--quiet")
    assert numbers(halved) == numbers(tmp_path / "whole")
    weights = [(tmp_path / name / "policy" / "model.safetensors").read_bytes() for name in ("whole", "halved")]
    assert weights[0] == weights[1]


@pytest.mark.slow
def test_smollm2_takes_an_update(cli, tmp_path):
    """The shipped model with a LoRA adapter through the whole path, as the recipe says, on few conversations."""
    recipe = Path(__file__).parents[2] / "recipes" / "smollm2.yaml"
    small = ["conversations=2", "trainers.pacpo.samples=1", "play.turns=2", "update.minibatches=1", "updates=1"]
    sets = [word for text in small for word in ("--set", text)]
    cli("train", "pacpo", "--recipe", recipe, *sets, "--out", "run", "--quiet")
    (line,) = read(tmp_path / "run")
    assert (line["conversations"], line["trainer"]) == (2, "pacpo")
    assert line["first_ratio_error"] < 1e-3
    assert line["grad_norm"] > 0
    card = json.loads((tmp_path / "run" / "policy" / "adidem.json").read_text())
    assert (card["kind"], card["codec"]) == ("adapter", "chat")
    from safetensors.torch import load_file

    weights = load_file(tmp_path / "run" / "policy" / "adapter_model.safetensors")
    assert any(bool(tensor.any()) for name, tensor in weights.items() if "lora_B" in name)  # all 0 before


@pytest.mark.parametrize(("recipe", "conversations"), [("qwen3-8b", 384), ("smollm2", 12), ("lab", 384)])
def test_a_dry_run_needs_no_model(cli, recipe, conversations, tmp_path):
    """Shapes, memory and calls; nothing is loaded and nothing is written."""
    path = Path(__file__).parents[2] / "recipes" / f"{recipe}.yaml"
    found = json.loads(cli("train", "pacpo", "--recipe", path, "--dry-run", "--json").stdout)
    (stage,) = found["stages"]
    assert stage["shapes"]["conversations"] == conversations
    assert stage["calls_per_update"]["policy_records"] == conversations
    assert stage["memory_gib"]["peak"] < {"qwen3-8b": 80, "smollm2": 4, "lab": 1.5}[recipe]
    if recipe == "qwen3-8b":
        assert 8.0e9 < found["parameters"] < 8.4e9
        assert stage["calls_per_update"]["judge_calls"] == 384
        assert stage["calls_per_update"]["partner_generations"] > 0
        asked = stage["asked_of_others_per_update"]
        assert set(asked) == {"judge integrity", "annotator"}
        assert asked["annotator"]["calls"] == 384
        assert found["evaluation"]["asked_of_others_per_pass"]["judge integrity"]["calls"] == 240
        assert found["asked_of_others"]["judge integrity"]["calls"] == 384 + 2 * 240
    assert "estimates" in cli("train", "pacpo", "--recipe", path, "--dry-run").stdout
    assert not list(tmp_path.iterdir())


def test_a_dry_run_of_a_study_names_every_cell(cli):
    """46 cells are the start once and nine configurations with five seeds each."""
    words = "train", "--recipe", Path(__file__).parents[2] / "recipes" / "lab-study.yaml", "--dry-run"
    found = json.loads(cli(*words, "--json").stdout)
    assert found["seeds"].pop("base") == [0]
    assert found["seeds"] == {label: [0, 1, 2, 3, 4] for label in found["configurations"]}
    assert found["cells"] == 46 == 1 + sum(map(len, found["seeds"].values()))
    said = cli(*words).stdout
    assert "46 cells, 2 at a time\n\nbase: 1 cell(s), seed 0; the start is tried, nothing is trained\n" in said
    assert said.count(": 5 cell(s), seed 0, 1, 2, 3, 4; in each:\n") == 9
