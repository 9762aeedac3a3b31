"""Weights in an ordinary run: `adidem run hico --agent hf:PATH`, a lab checkpoint and a model that chats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adidem.core.policy.tiny import Shape, tiny
from adidem.core.setup import load
from adidem.core.training.lab.base import tongue_of
from tiny_chat import write_chat_model


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab policy that has learned nothing, saved as training saves one."""
    families = {name: each for name, each in load().components.families.items() if name == "bounded_quantities"}
    codec = tongue_of(families)
    folder = tmp_path_factory.mktemp("lab")
    tiny(codec, len(codec.vocabulary), Shape(width=32, layers=1, heads=2, inner=32)).save(folder)
    return folder


def test_a_lab_checkpoint_plays_the_benchmark(cli, checkpoint: Path) -> None:
    """Every task is played and scored, the same each time; the run names the weights."""
    told = ["run", "hico", "--agent", f"hf:{checkpoint}", "--partner", "scripted:candid", "--quiet", "--json"]
    told += ["--family", "bounded_quantities", "--limit", "6"]
    first = json.loads(cli(*told, "--out", "one").stdout)
    second = json.loads(cli(*told, "--out", "two").stdout)
    assert first["episodes"] == {"scored": 6, "failed": 0, "owed": 0}
    assert first["metrics"] == second["metrics"]
    assert first["metrics"]["feasibility"]["n"] == 6


@pytest.mark.slow
def test_a_model_that_chats_plays_too(cli, tmp_path: Path) -> None:
    folder = write_chat_model(tmp_path / "model")
    told = ["run", "hico", "--agent", f"hf:{folder}", "--partner", "scripted:candid", "--quiet", "--json"]
    found = json.loads(cli(*told, "--limit", "2", "--set", "agent.max_tokens=16", "--out", "run").stdout)
    assert found["episodes"] == {"scored": 2, "failed": 0, "owed": 0}


def test_weights_that_are_not_there_end_with_2(cli) -> None:
    result = cli("run", "hico", "--agent", "hf:nowhere", "--out", "run", code=2)
    assert "no such folder" in result.stderr
