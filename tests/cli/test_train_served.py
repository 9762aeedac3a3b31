"""`adidem train` as at scale: a server samples, a model judges Integrity, another marks disclosures, the base is the
partner."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from adidem.core.training.metrics import read
from stub_vllm import StubVllm
from tiny_chat import write_chat_model

pytestmark = pytest.mark.slow

ANNOTATOR = "Which turn of"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StubVllm]:
    """A server of a tiny model that chats."""
    made = StubVllm(write_chat_model(tmp_path / "model")).start()
    yield made
    made.stop()


@pytest.fixture
def recipe(server: StubVllm, tmp_path: Path) -> Path:
    """Imitation of its own, then PaCPO held to where it started."""
    document: dict[str, Any] = {
        "policy": {
            "model": f"hf:{tmp_path / 'model'}",
            "adapter": {"rank": 2, "alpha": 4},
            "server": {"url": server.url, "base": "base", "shared": str(tmp_path / "shared")},
        },
        "play": {"partner": "base", "turns": 2, "turn_tokens": 8, "record_tokens": 8},
        "reward": {"judge": "integrity", "judge_model": "openai/judge", "annotator": "openai/marks"},
        "stages": [{"trainer": "self_reinforcement", "updates": 1}, {"trainer": "pacpo", "updates": 1}],
        "conversations": 4,
        "update": {"lr": 0.01, "kl": 0.1},
        "tensorboard": False,
    }
    file = tmp_path / "served.yaml"
    file.write_text(yaml.safe_dump(document))
    return file


def said(body: Any) -> Any:
    """The judge finds no violation; the annotator names a turn and makes up its words."""
    if ANNOTATOR in json.dumps(body["messages"]):
        return {"turn": 1, "quote": "words that nobody said"}
    return {"reasoning": "All is well.", "violations": []}


def test_the_whole_path_over_servers(cli, server, stub, recipe, tmp_path, monkeypatch):
    """Ratios are 1, the partner is the bare base in both stages, each version has a name of its own; what the annotator
    could not do is told."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    stub.answer = said
    sets = [w for name in ("judge", "marks") for w in ("--set", f'models."openai/{name}".api_base={stub.url}')]
    cli("train", "--recipe", recipe, *sets, "--out", "run", "--quiet")
    first, second = read(tmp_path / "run")
    assert (first["trainer"], second["trainer"]) == ("self_reinforcement", "pacpo")
    assert (first["conversations"], first["dropped"], second["dropped"]) == (4, 0, 0)
    assert second["first_ratio_error"] < 1e-4
    assert second["integrity"] == 1
    assert second["annotator_failed"] == 1
    assert "annotators_agree" not in second
    assert second["unannotated"].startswith("the quote is not in the turn named (")
    names = {body["model"] for body in server.bodies if "prompt" in body}
    assert names == {"base", *server.names}
    assert [name.rpartition("-")[2] for name in server.names] == ["v0", "v1"]
    assert {body["model"] for body in stub.bodies} == {"judge", "marks"}
    assert json.loads((tmp_path / "run" / "policy" / "adidem.json").read_text())["kind"] == "adapter"


def test_a_judge_that_is_down_drops_and_counts_and_stops(cli, stub, recipe, tmp_path, monkeypatch):
    """No number is made up for what nobody judged, and its reason is told, of the evaluation too."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    stub.answer = lambda body: said(body) if ANNOTATOR in json.dumps(body["messages"]) else "no JSON at all"
    sets = [w for name in ("judge", "marks") for w in ("--set", f'models."openai/{name}".api_base={stub.url}')]
    tries = ["--set", "evaluation.limit=4"]
    done = cli("train", "ppo", "--recipe", recipe, *sets, *tries, "--out", "run", code=1)
    (before,) = read(tmp_path / "run")
    assert before["test/T=1/unscored"] == 4
    assert before["test/unscored"].startswith("integrity: malformed")
    assert "unscored in evaluation: integrity: malformed" in done.stderr
    assert "no conversation can be used: integrity: malformed" in done.stderr
    assert "holds what was trained" not in done.stderr, "nothing was"
