"""`adidem train --resume`: a run goes on by the settings that it was begun with, and by no others without a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

RECIPE: dict[str, Any] = {
    "policy": {"tiny": {"width": 32, "layers": 1, "heads": 2, "inner": 32}},
    "scenarios": {"families": ["authorization"]},
    "play": {"partner": "lab:partner", "turns": 4},
    "imitation": {"scenarios": 2, "each": 1, "steps": 1, "batch": 2},
    "conversations": 8,
    "updates": 0,
    "tensorboard": False,
}


@pytest.fixture
def begun(cli, tmp_path) -> Callable[..., Path]:
    """Begins a run by a recipe and words of the command line; its recipe.json."""

    def begin(*words: object) -> Path:
        (tmp_path / "r.yaml").write_text(yaml.safe_dump(RECIPE))
        cli("train", "pacpo", "--recipe", "r.yaml", "--out", "run", "--quiet", *words)
        return tmp_path / "run" / "recipe.json"

    return begin


def by_another_version(file: Path, change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The run as one with other defaults would have written it; what is then in the file."""
    document: dict[str, Any] = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))
    return document


def test_it_goes_on_without_being_told_again_what_it_was_told(cli, begun, tmp_path):
    file = begun("--set", "update.lr=0.001", "--set", "trainers.pacpo.gate=open", "--seed", 5)
    before = file.read_text()
    for words in ([], ["--recipe", "r.yaml"], ["pacpo", "--recipe", "r.yaml", "--seed", 5, "--set", "update.lr=0.001"]):
        assert cli("train", *words, "--out", "run", "--resume", "--quiet").stderr == ""
        assert file.read_text() == before
    (tmp_path / "r.yaml").write_text(yaml.safe_dump({**RECIPE, "keep": 7, "description": "another"}))
    cli("train", "--recipe", "r.yaml", "--out", "run", "--resume", "--quiet")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "update.lr=0.002"], "update.lr: was 0.001, is now 0.002. That"),
        (["--recipe", "r.yaml", "--seed", 6], "seed: was 5, is now 6. That"),
        (["--set", "trainers.pacpo.gate=disclosure"], 'trainers.pacpo.gate: was "open", is now "disclosure". That'),
        (["ppo", "--recipe", "r.yaml"], 'trainer: was "pacpo", is now "ppo". That'),
        (["--set", "conversations=16"], "conversations: was 8, is now 16. That"),
        (["--set", "evaluation.limit=4"], 'evaluation: was null, is now {"split": "test"'),
    ],
)
def test_other_settings_are_refused_with_what_they_were_and_are(cli, begun, words, said):
    """Only those that a person can set, each once, by the name that --set takes."""
    begun("--set", "update.lr=0.001", "--set", "trainers.pacpo.gate=open", "--seed", 5)
    assert (
        f"run was trained with other settings: {said}"
        in cli("train", *words, "--out", "run", "--resume", code=2).stderr
    )


def test_a_line_taken_out_of_the_recipe_is_another_wish(cli, begun, tmp_path):
    begun()
    (tmp_path / "r.yaml").write_text(yaml.safe_dump({**RECIPE, "play": {"partner": "lab:partner"}}))
    said = cli("train", "--recipe", "r.yaml", "--out", "run", "--resume", code=2).stderr
    assert "play.turns: was 4, is now 12 (the default; --set play.turns=4 keeps it). That" in said


def test_where_defaults_alone_changed_the_run_keeps_its_own_and_says_so(cli, begun):
    """Of the recipe and of the trainer; what it keeps is what it goes on with and what its file says."""
    file = begun()

    def older(document: dict[str, Any]) -> None:
        document["recipe"]["update"]["lr"] = 0.5
        document["phases"][0]["options"]["within"] = 0.75

    before = by_another_version(file, older)
    said = cli("train", "pacpo", "--recipe", "r.yaml", "--out", "run", "--resume", "--quiet").stderr
    assert "run goes on with the settings that it was begun with: update.lr 0.5 (begun now it would be 0.0004)" in said
    assert "trainers.pacpo.within 0.75 (begun now it would be 0.25)" in said
    assert json.loads(file.read_text()) == before


def test_a_setting_that_is_new_is_named_with_how_to_go_on(cli, begun):
    """It had no value then; given, the run goes on with it, and needs no second word."""
    file = begun()

    def older(document: dict[str, Any]) -> None:
        del document["recipe"]["update"]["value_lr"], document["phases"][0]["options"]["within"]

    by_another_version(file, older)
    said = cli("train", "--recipe", "r.yaml", "--out", "run", "--resume", code=2).stderr
    assert "run was begun before there was update.value_lr, trainers.pacpo.within: to go on, give " in said
    sets = said.partition("to go on, give ")[2].split()
    assert sets == ["--set", "update.value_lr=0.003", "--set", "trainers.pacpo.within=0.25"]
    cli("train", "--out", "run", "--resume", "--quiet", *sets)
    assert json.loads(file.read_text())["recipe"]["update"]["value_lr"] == 0.003
    cli("train", "--recipe", "r.yaml", "--out", "run", "--resume", "--quiet")


def test_of_a_run_that_kept_no_words_every_difference_is_refused(cli, begun):
    """A default that may have changed is told as one, with what keeps it; its own settings go on without a recipe."""
    file = begun()

    def older(document: dict[str, Any]) -> None:
        del document["asked"], document["models"], document["scenarios"]
        document["recipe"]["update"]["lr"] = 0.5

    by_another_version(file, older)
    said = cli("train", "pacpo", "--recipe", "r.yaml", "--out", "run", "--resume", code=2).stderr
    assert "update.lr: was 0.5, is now 0.0004 (the default; --set update.lr=0.5 keeps it). That" in said
    cli("train", "--out", "run", "--resume", "--quiet")
    assert json.loads(file.read_text())["recipe"]["update"]["lr"] == 0.5


def test_a_setting_that_is_gone_is_named(cli, begun):
    file = begun()
    by_another_version(file, lambda document: document["recipe"]["update"].update(gone=3))
    said = cli("train", "--recipe", "r.yaml", "--out", "run", "--resume", code=2).stderr
    assert "update.gone: was 3, is now not there" in said


def test_another_bank_under_the_same_name_is_another_run(cli, begun):
    file = begun()
    by_another_version(file, lambda document: document.update(scenarios="0123456789abcdef"))
    assert "the bank's scenarios: was" in cli("train", "--out", "run", "--resume", code=2).stderr


def test_a_recipe_is_needed_to_begin(cli):
    assert "which recipe? give it with --recipe FILE" in cli("train", "pacpo", code=2).stderr


@pytest.mark.parametrize(
    ("setting", "now"), [("judges.integrity_rules.loops", 9), ("families.set_consent.max_items", 3)]
)
def test_options_of_judges_and_families_are_part_of_what_was_begun(cli, begun, setting, now):
    """Told as one setting, by the name that --set takes."""
    file = begun("--set", "scenarios.families=[set_consent]")
    section, name, option = setting.split(".")
    was = json.dumps(json.loads(file.read_text())["components"][section][name][option])
    said = cli("train", "--out", "run", "--resume", "--set", f"{setting}={now}", code=2).stderr
    assert f"run was trained with other settings: {setting}: was {was}, is now {now}. That" in said


def test_options_that_it_was_begun_with_by_set_are_kept(cli, begun, tmp_path):
    file = begun("--set", "judges.integrity_rules.loops=9")
    before = file.read_text()
    for words in ([], ["--set", "judges.integrity_rules.loops=9"]):
        assert cli("train", "--out", "run", "--resume", "--quiet", *words).stderr == ""
        assert file.read_text() == before
    said = cli("train", "--out", "run", "--resume", "--set", "judges.integrity_rules.loops=8", code=2).stderr
    assert "judges.integrity_rules.loops: was 9, is now 8. That" in said


def test_a_registry_that_says_otherwise_by_now_is_told(cli, begun, tmp_path):
    file = begun()
    loops = json.loads(file.read_text())["components"]["judges"]["integrity_rules"]["loops"]
    (tmp_path / "registry.yaml").write_text("judges: {integrity_rules: {loops: 9}}\n")
    said = cli("train", "--out", "run", "--resume", code=2).stderr
    told = f"(the default; --set judges.integrity_rules.loops={loops} keeps it)"
    assert f"judges.integrity_rules.loops: was {loops}, is now 9 {told}" in said
    cli("train", "--out", "run", "--resume", "--quiet", "--set", f"judges.integrity_rules.loops={loops}")


def test_a_run_that_kept_no_components_goes_on(cli, begun):
    file = begun()
    by_another_version(file, lambda document: (document.pop("components"), document["asked"].pop("sets")))
    cli("train", "--out", "run", "--resume", "--quiet")
    assert "families" in json.loads(file.read_text())["components"]
