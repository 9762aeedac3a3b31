"""Recipes are read as strictly as registry.yaml, and laid over one another."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import attrs
import pytest
import yaml
from jsonschema import Draft202012Validator

from adidem.core.errors import ConfigError
from adidem.core.training.recipe import Recipe, node_of, read_recipe, recipe_of, recipe_schema

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "recipes").glob("*.yaml"))


def written(folder: Path, name: str, text: str) -> Path:
    """A recipe's file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_an_empty_recipe_is_all_defaults(tmp_path: Path) -> None:
    """Those of the prototype: 384 conversations, 4e-4, two epochs of two minibatches, no KL."""
    recipe = read_recipe(written(tmp_path, "r.yaml", "")).recipe
    assert recipe == Recipe()
    update = recipe.update
    assert (recipe.conversations, update.lr, update.value_lr, update.clip) == (384, 4e-4, 3e-3, 0.2)
    assert (update.epochs, update.minibatches, update.kl, recipe.play.temperature) == (2, 2, 0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("updates: 2\nupdte: {}\n", r"r\.yaml:2:1: unknown key 'updte': did you mean 'update'"),
        ("play:\n  temperature: 0\n", r"r\.yaml:2:3: play\.temperature: must be > 0: 0"),
        ("update: {lr: high}\n", r"r\.yaml:1:10: update\.lr: must be a finite number, not 'high'"),
        ("reward: {conduct: much}\n", r"r\.yaml:1:10: reward\.conduct: must be one of off, gate, term"),
        ("play: {barrier: 'x:2'}\n", r"r\.yaml:1:8: play\.barrier: severity '2' of 'x' is not a number from 0 to 1"),
        ("stages:\n  - {updates: 3}\n", r"r\.yaml:2:5: stages\[0\]: needs 'trainer'"),
        ("policy: {model: gpt}\n", r"r\.yaml:1:10: policy\.model: must match regex"),
        ("- a\n", r"r\.yaml:1:1: must be a mapping"),
        ("base: other.yaml\n", r"r\.yaml:1:1: base: there is no file .*other\.yaml"),
        ("base: r.yaml\n", r"base: more than 8 recipes"),
        ("base: [a]\n", r"base: must be the path of a recipe"),
    ],
)
def test_mistakes_are_named_with_file_line_and_column(tmp_path: Path, text: str, said: str) -> None:
    """One line, as for the registry."""
    with pytest.raises(ConfigError, match=said):
        read_recipe(written(tmp_path, "r.yaml", text))


def test_a_recipe_is_laid_over_its_base_and_sets_over_both(tmp_path: Path) -> None:
    """Mappings merge; each file's paths start from its own folder."""
    written(tmp_path, "deep/base.yaml", "updates: 3\npolicy: {start: here}\nplay: {turns: 8, temperature: 1.5}\n")
    top = written(tmp_path, "top.yaml", "base: deep/base.yaml\nplay: {turns: 6}\n")
    recipe = read_recipe(top, ["update.lr=1e-3", "seed=4"]).recipe
    assert (recipe.updates, recipe.seed, recipe.update.lr) == (3, 4, 1e-3)
    assert (recipe.play.turns, recipe.play.temperature) == (6, 1.5)
    assert recipe.policy.start == tmp_path / "deep" / "here"


def test_a_stage_says_only_what_differs(tmp_path: Path) -> None:
    """All else of `play` and `update` is the recipe's, a setting of the command line among it, and not the default; so
    it is where the recipe is read back from what was stored."""
    text = """
play: {partner: "lab:partner", turns: 8}
update: {micro: 7, clip: 0.1}
stages:
  - {trainer: bc, play: {demonstrator: "lab:expert"}, update: {lr: 0.01}}
  - {trainer: pacpo}
"""
    read = read_recipe(written(tmp_path, "r.yaml", text), ["update.epochs=3"])
    stored = attrs.asdict(read.recipe, value_serializer=lambda _, __, v: str(v) if isinstance(v, Path) else v)
    for recipe in (read.recipe, recipe_of(json.loads(json.dumps(stored))).recipe):
        first, second = recipe.stages
        assert first.play is not None
        assert first.update is not None
        assert (first.play.partner, first.play.turns, first.play.demonstrator) == ("lab:partner", 8, "lab:expert")
        assert (first.update.lr, first.update.micro, first.update.clip, first.update.epochs) == (0.01, 7, 0.1, 3)
        assert (second.play, second.update) == (None, None)
        assert recipe.play.demonstrator is None
    wrong = text.replace("lr: 0.01", "lr: 2")
    with pytest.raises(ConfigError, match=r"r\.yaml:5:\d+: stages\[0\]\.update\.lr: must be <= 1: 2"):
        read_recipe(written(tmp_path, "r.yaml", wrong))


@pytest.mark.parametrize("text", ["updates", "=3", "play..turns=2", "update.lr=[", "nothing.here=1"])
def test_a_set_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """And named."""
    with pytest.raises(ConfigError, match="--set"):
        read_recipe(written(tmp_path, "r.yaml", ""), [text])


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_recipes_are_read_and_fit_their_schema(path: Path) -> None:
    """Every key is known, every number in range."""
    read_recipe(path)
    Draft202012Validator(recipe_schema()).validate(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["heads=3", "width=16"], r"policy\.tiny\.heads: 3 heads cannot share the width 16 in even parts"),
        (["heads=16", "width=16"], r"policy\.tiny\.heads: 16 heads cannot share the width 16 in even parts"),
        (["width=12"], r"policy\.tiny: 4 heads cannot share the width 12 in even parts"),
        (["kept=64", "heads=2"], r"policy\.tiny\.kept: 64 kept heads cannot be shared evenly by 2 heads"),
        (["kept=3", "heads=4"], r"policy\.tiny\.kept: 3 kept heads cannot be shared evenly by 4 heads"),
    ],
)
def test_a_tiny_model_that_cannot_be_is_refused(tmp_path: Path, sets: list[str], said: str) -> None:
    """Before a dry run shows its memory."""
    with pytest.raises(ConfigError, match=said):
        read_recipe(written(tmp_path, "r.yaml", ""), [f"policy.tiny.{text}" for text in sets])


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    """Unknown keys, wrong types, ranges."""
    schema = Draft202012Validator(recipe_schema())
    Draft202012Validator.check_schema(recipe_schema())
    for wrong in ({"updte": 1}, {"play": {"turns": 1}}, {"seed": "one"}, {"reward": {"conduct": "x"}}):
        assert not schema.is_valid(wrong), wrong
    assert schema.is_valid({"base": "lab.yaml", "stages": [{"trainer": "bc", "updates": 2}]})


def test_what_is_stored_is_read_back() -> None:
    """A run's own document makes the same recipe."""
    recipe = Recipe(updates=5)
    document = json.loads(json.dumps(attrs.asdict(recipe)))
    assert recipe_of(document).recipe == recipe
    assert node_of({"a": [1]}, recipe_of({}).tree.place).members["a"].value is not None


def test_reading_a_recipe_loads_no_torch() -> None:
    """A schema and a dry run need none."""
    import subprocess

    code = (
        "import sys, adidem.core.training.prepare; assert not {'torch', 'transformers', 'litellm'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
