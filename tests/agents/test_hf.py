"""Weights as an agent: many episodes sampled together, each by its own stream."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import pytest

import tiny_chat as chat
from adidem.core.agents import hf
from adidem.core.agents.spec import agent_from_spec
from adidem.core.domain import Turn
from adidem.core.errors import ConfigError, ModelFailure
from adidem.core.llm import Gateway
from adidem.core.llm.waiting import stopwatch
from adidem.core.registry.config import ModelSettings
from adidem.core.setup import load
from small_world import WORLD

FAMILY = load().components.families["bounded_quantities"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return chat.write_chat_model(tmp_path_factory.mktemp("model"))


def agent(folder: Path, **settings: Any) -> Any:
    return agent_from_spec(f"hf:{folder}", Gateway(), ModelSettings(**{"max_tokens": 8, **settings}))


def seated(made: Any, seed: int = 1) -> Any:
    return made.join(FAMILY, (), WORLD.card("first"), Random(seed))


HISTORY = (Turn(0, "second", "How many do you need?"),)


async def spoken(made: Any, seeds: list[int]) -> list[str]:
    seats = [seated(made, seed) for seed in seeds]
    return [turn.text for turn in await asyncio.gather(*(seat.speak(HISTORY, 5) for seat in seats))]


def test_it_plays_turns_and_records(folder: Path) -> None:
    made = agent(folder)
    assert not made.scripted

    async def both() -> tuple[Turn, Any, Any]:
        seat = seated(made)
        turn = await seat.speak(HISTORY, 5)
        return turn, await seat.record((*HISTORY, turn), {}), seat.usage()

    turn, record, usage = asyncio.run(both())
    assert (turn.index, turn.seat) == (1, "first")
    assert isinstance(record, str)
    assert (usage.calls, usage.cost) == (2, 0.0)
    assert 0 < usage.completion_tokens <= 16


def test_episodes_together_are_as_each_alone(folder: Path) -> None:
    """The same words whether the others are there or not; other seeds, other words."""
    together = asyncio.run(spoken(agent(folder), [1, 2, 3, 4]))
    alone = [asyncio.run(spoken(agent(folder), [seed]))[0] for seed in (1, 2, 3, 4)]
    assert together == alone
    assert len(set(together)) > 1


def test_calls_that_wait_together_are_one_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more at once than memory allows."""
    sizes: list[int] = []
    kept = hf._Player._sampled

    def counted(player: Any, batch: Any) -> Any:
        sizes.append(len(batch))
        return kept(player, batch)

    monkeypatch.setattr(hf._Player, "_sampled", counted)
    asyncio.run(spoken(agent(folder), list(range(6))))
    assert sizes == [6]
    monkeypatch.setattr(hf, "MEMORY", 1)
    sizes.clear()
    asyncio.run(spoken(agent(folder), [1, 2, 3]))
    assert sizes == [1, 1, 1]


def test_its_own_turns_stay_the_tokens_it_said(folder: Path) -> None:
    """What it said is not encoded again; what another said in its seat is."""
    made = agent(folder)

    async def tokens() -> tuple[list[int], list[int], list[int]]:
        seat = seated(made)
        turn = await seat.speak(HISTORY, 5)
        codec = made.player.codec
        (ids,) = seat._said.values()
        view = hf.View(FAMILY, seat.card, 6)
        return ids, seat._tokens((*HISTORY, turn), codec, view), codec.opening(view)

    ids, whole, opening = asyncio.run(tokens())
    assert whole[: len(opening)] == opening
    assert any(whole[at : at + len(ids)] == ids for at in range(len(whole)))


def test_greedy_and_sampled_follow_the_settings(folder: Path) -> None:
    """At temperature 0 every seed says the same."""
    assert len(set(asyncio.run(spoken(agent(folder, temperature=0.0), [1, 2, 3])))) == 1


def test_a_conversation_longer_than_the_model_knows_fails_with_its_cause(folder: Path) -> None:
    made = agent(folder)
    with pytest.raises(ModelFailure) as failed:
        asyncio.run(seated(made).speak((Turn(0, "second", "so " * 5000),), 5))
    assert failed.value.kind == "context_overflow"


def test_a_model_whose_code_fails_fails_its_episodes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(hf._Player, "_sampled", broken)
    with pytest.raises(ModelFailure, match="out of memory"):
        asyncio.run(spoken(agent(folder), [1]))


def test_weights_that_are_broken_fail_its_episodes_and_are_named(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "model.safetensors").write_bytes(b"x" * 20)
    with pytest.raises(ModelFailure, match=r"broken: the model cannot be loaded: model\.safetensors"):
        asyncio.run(spoken(agent(broken), [1]))


def test_weights_that_are_not_there_are_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        agent(tmp_path / "none")


def test_a_barrier_and_a_repair_instruction_reach_the_prompt(folder: Path) -> None:
    """Those that read prompts are told; the weights are loaded once for all."""
    from adidem.core.domain import Directive

    made = agent(folder)
    told = made.directed(Directive("Mumble.", "You are shy.", (), (), ())).repaired("plain")
    assert told.player is made.player

    async def prompt(one: Any) -> str:
        codec = await one.player.ready(one.change)
        return str(codec.tokenizer.decode(codec.opening(hf.View(FAMILY, WORLD.card("first"), 6))))

    assert "Mumble." in asyncio.run(prompt(told))
    assert "Mumble." not in asyncio.run(prompt(made))


def test_waiting_for_a_batch_is_no_time_that_a_turn_takes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three that are sampled one after the other: the second waits for the first, the third for both."""
    kept = hf._Player._sampled

    def slow(player: Any, batch: Any) -> Any:
        sleep(0.2)
        return kept(player, batch)

    async def measured() -> list[float]:
        made = agent(folder)
        await seated(made).speak(HISTORY, 5)
        monkeypatch.setattr(hf._Player, "_sampled", slow)
        monkeypatch.setattr(hf, "MEMORY", 1)

        async def one(seed: int) -> float:
            with stopwatch() as watch:
                await seated(made, seed).speak(HISTORY, 5)
            assert watch.took >= 0.19
            return watch.waited

        return sorted(await asyncio.gather(*map(one, (1, 2, 3))))

    found = asyncio.run(measured())
    assert found[1] >= 0.19
    assert found[2] >= 0.38
