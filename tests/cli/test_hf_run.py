"""Weights in an ordinary run: `adidem run hico --agent hf:PATH`, a lab checkpoint and a model that chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adidem.core.agents import hf
from adidem.core.policy.tiny import Shape, tiny
from adidem.core.runs.store import RunStore
from adidem.core.setup import load
from adidem.core.training.lab.base import tongue_of
from adidem.plugins.families.casino import ITEMS
from adidem.plugins.families.woz import scripts
from tiny_chat import tokenizer, write_chat_model


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


def served(prompt: str) -> str:
    """What somebody at the desk writes who was trained to: a look-up of what the caller wants, then what it gave."""
    heard = prompt.rpartition("<|im_start|>user\n")[2].partition("<|im_end|>")[0]
    if heard.startswith("[result] "):
        venue = json.loads(heard.removeprefix("[result] "))["venues"][0]
        return f"I can recommend {venue['name']}, {venue['address']}, telephone {venue['phone']}."
    for sentence in heard.split(". "):
        if "need a restaurant" in sentence:
            asked = {"tool": "find_restaurant", "arguments": scripts.slots(sentence.rstrip("."))}
            return f"[call] {json.dumps(asked)}"
    return "You are welcome."


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`answered(words_of)`: weights that write what `words_of(prompt)` says; the prompts that they read are kept."""

    def set_up(words_of: Any) -> list[str]:
        speaks, prompts = tokenizer(), []

        def sampled(_: Any, batch: Any) -> list[list[int]]:
            found = [speaks.decode([*one.tokens, *one.ask.tokens]) for one in batch]
            prompts.extend(found)
            ids = [[*speaks.encode(words_of(prompt)), speaks.eos_token_id] for prompt in found]
            return [each[: one.ask.most] for each, one in zip(ids, batch, strict=True)]

        monkeypatch.setattr(hf._Player, "_sampled", sampled)
        return prompts

    return set_up


def test_weights_at_the_desk_call_its_tools(cli, tmp_path: Path, answered: Any) -> None:
    """They are told of them; calls are run and shown to them and to nobody else; what they looked up counts."""
    prompts = answered(served)
    folder = write_chat_model(tmp_path / "model")
    done = json.loads(
        cli("run", "multiwoz", "--agent", f"hf:{folder}", "--limit", "1", "--json", "--out", "run").stdout
    )
    assert [done["metrics"][f"multiwoz.{name}"]["value"] for name in ("inform", "success")] == [1.0, 1.0]
    with RunStore(Path("run")) as store:
        [episode] = store.episodes()
    [call] = [call for turn in episode.turns for call in turn.calls]
    assert (call.name, call.arguments) == ("find_restaurant", {"food": "italian", "area": "centre"})
    assert all("- find_restaurant: " in prompt and "people: a whole number (needed)" in prompt for prompt in prompts)
    later = next(prompt for prompt in prompts if prompt.count("[result] ") == 1 and "<|im_start|>user\nCould" in prompt)
    assert later.index("[call] {") < later.index("[result] ") < later.index("I can recommend")
    assert not any("[call]" in turn.text or "[result]" in turn.text for turn in episode.turns)


def test_weights_that_only_call_have_said_nothing(cli, tmp_path: Path, answered: Any) -> None:
    answered(lambda _: '[call] {"tool": "find_police", "arguments": {}}')
    folder = write_chat_model(tmp_path / "model")
    told = ["run", "multiwoz", "--agent", f"hf:{folder}", "--limit", "1", "--json", "--out", "run"]
    done = json.loads(cli(*told, code=1).stdout)
    assert done["episodes"] == {"scored": 0, "failed": 1, "owed": 1}
    with RunStore(Path("run")) as store:
        [episode] = store.episodes()
    assert episode.cause is not None
    assert "8 tool calls in one turn" in episode.cause.message


def test_weights_negotiate_and_their_deal_is_measured(cli, tmp_path: Path, answered: Any) -> None:
    """Who takes nothing and writes that down has a deal that is worth nothing to them."""

    def gives_all(prompt: str) -> str:
        me, other = ("Ines", "Caleb") if "You are Ines" in prompt else ("Caleb", "Ines")
        if "The conversation is over." in prompt:
            return json.dumps({"outcome": "agree", "terms": {item: {me: 0, other: 3} for item in ITEMS}})
        return f"0 firewood, 0 food and 0 water for me, and 3 firewood, 3 food and 3 water for {other}."

    answered(gives_all)
    folder = write_chat_model(tmp_path / "model")
    told = ["run", "casino", "--agent", f"hf:{folder}", "--limit", "2", "--set", "agent.max_tokens=256", "--json"]
    done = json.loads(cli(*told, "--out", "run").stdout)
    assert done["episodes"] == {"scored": 2, "failed": 0, "owed": 0}
    assert done["metrics"]["negotiation.agreement"]["value"] == 1.0
    assert done["metrics"]["negotiation.points"]["value"] == 0.0
    assert done["metrics"]["feasibility"]["value"] == 0.0


@pytest.mark.parametrize(
    ("suite", "said"), [("casino", "without the family casino"), ("multiwoz", "without the family multiwoz")]
)
def test_a_lab_policy_plays_no_family_that_it_was_made_without(cli, checkpoint: Path, suite: str, said: str) -> None:
    """Its vocabulary has no word for it: what it said would be noise, scored as if it had tried."""
    told = ["run", suite, "--agent", f"hf:{checkpoint}", "--limit", "1", "--json", "--out", "run"]
    done = json.loads(cli(*told, code=1).stdout)
    assert done["episodes"]["failed"] == 1
    with RunStore(Path("run")) as store:
        [episode] = store.episodes()
    assert episode.cause is not None
    assert said in episode.cause.message
