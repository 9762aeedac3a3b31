"""Rollouts on a server that returns token ids and log-probs: the same interface, the same laws, one name a version."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from attrs import frozen

from adidem.core.errors import ConfigError
from adidem.core.policy.contracts import Ask, Sampled
from adidem.core.policy.draw import Draw
from adidem.core.policy.loading import load_policy
from adidem.core.policy.model import ModelPolicy
from adidem.core.policy.server import Server, Serving
from stub_vllm import StubVllm
from tiny_chat import write_chat_model

ENDS = frozenset(range(40, 90))


@frozen
class Lora:
    rank: int = 2
    alpha: int = 16
    targets: tuple[str, ...] = ()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_chat_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def stub(model: Path) -> Iterator[StubVllm]:
    server = StubVllm(model).start()
    yield server
    server.stop()


def served(model: Path, stub: StubVllm, shared: Path) -> ModelPolicy:
    policy = load_policy(str(model), adapter=Lora())
    policy.serving = Serving(Server(url=stub.url, base="base", shared=shared, attempts=2), "run")
    return policy


def moved(policy: ModelPolicy, by: float = 0.3) -> None:
    """A step of training."""
    generator = torch.Generator().manual_seed(policy.version)
    with torch.no_grad():
        for each in policy.groups()[0]["params"]:
            each.add_(by * torch.randn(each.shape, generator=generator))
    policy.changed()


def ask(tokens: list[int], stream: Random, stay: int = 0, most: int = 7) -> Ask:
    return Ask(tokens, ENDS, most, stream, stay)


OPENINGS = [[1, 2, 3], [4, 5, 6, 7], [8, 9]]


Talked = list[tuple[list[int], list[float]]]


def conversation(policy: ModelPolicy, *, forks: bool = False, base: bool = False) -> Talked:
    """Two turns of three conversations as ids and log-probs, with forks between them or not."""

    async def talk() -> Talked:
        sampler = policy.sampler(OPENINGS, base=base)
        found: Talked = [(list(ids), [0.0] * len(ids)) for ids in OPENINGS]
        for turn in range(2):
            asks = {row: ask([100 + row], Random(f"{row} {turn}")) for row in range(3)}
            drawn = await sampler.sampled(asks, Draw(0.8))
            for row, each in drawn.items():
                found[row][0].extend([100 + row, *each.ids])
                found[row][1].extend([0.0, *each.logps])
            if forks:
                await sampler.sampled(
                    {row: ask([120, 121], Random(row), most=4) for row in range(3)}, Draw(), keep=False
                )
        return found

    return asyncio.run(talk())


def test_its_log_probs_are_those_of_the_learner(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    """Trap 9 over the server: the ratio at the first step is 1, with a base that no adapter changed and with one."""
    policy = served(model, stub, tmp_path)
    for _ in range(2):
        for ids, logps in conversation(policy):
            scored = policy.score(torch.tensor([ids]), torch.tensor([len(ids)]), temperature=0.8).logp[0]
            for at, logp in enumerate(logps):
                if logp:
                    assert scored[at - 1].item() == pytest.approx(logp, abs=1e-4)
        moved(policy)


def test_a_fork_changes_nothing_on_a_server_either(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    """Trap 17: and the fork's prompt starts with the conversation's, which is what a prefix cache lives on."""
    policy = served(model, stub, tmp_path)
    plain, forked = conversation(policy), conversation(policy, forks=True)
    assert plain == forked
    forks = [body["prompt"] for body in stub.bodies if body["prompt"][-2:] == [120, 121]]
    assert forks
    for prompt in forks:
        assert any(prompt[:-2] == ids[: len(prompt) - 2] for ids, _ in plain)


def test_what_was_heard_before_a_fork_may_stay(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    policy = served(model, stub, tmp_path)

    async def prompts() -> list[list[int]]:
        sampler = policy.sampler([[1]])
        await sampler.sampled({0: ask([50, 51, 120], Random(1), stay=2)}, Draw(), keep=False)
        await sampler.sampled({0: ask([60], Random(1))}, Draw())
        return [body["prompt"] for body in stub.bodies]

    assert asyncio.run(prompts()) == [[1, 50, 51, 120], [1, 50, 51, 60]]


def test_trap_12_each_version_has_a_name_of_its_own(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    """After an update the new adapter samples, under a name that was never used; the old one is let go."""
    policy = served(model, stub, tmp_path)
    before = conversation(policy)
    assert conversation(policy) == before
    assert stub.names == ["run-v0"]
    moved(policy)
    assert conversation(policy) != before
    moved(policy)
    conversation(policy)
    assert stub.names == ["run-v0", "run-v1", "run-v2"]
    assert set(stub.trunks) == {"base", "run-v2"}
    assert [each.name for each in tmp_path.iterdir()] == ["run-v2"]


def test_the_base_is_the_servers_own_model_in_every_stage(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    """Without any adapter, also where a stage starts from one that has learned something."""
    policy = served(model, stub, tmp_path)
    base = conversation(policy, base=True)
    moved(policy)
    assert conversation(policy, base=True) == base
    policy.anchor()
    assert conversation(policy, base=True) == base
    assert conversation(policy) != base
    assert stub.names == ["run-v1"]


def test_a_call_that_fails_is_the_end_of_its_row_alone(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    """Tried again first; the others have their answers."""
    policy = served(model, stub, tmp_path)
    tries: list[int] = []

    def down(body: dict[str, Any]) -> int | None:
        if body.get("prompt", [0])[0] != 4:
            return None
        tries.append(1)
        return 503

    stub.fail = down

    async def once() -> dict[int, Sampled]:
        sampler = policy.sampler(OPENINGS)
        return dict(await sampler.sampled({row: ask([100], Random(row)) for row in range(3)}, Draw()))

    drawn = asyncio.run(once())
    assert drawn[1].failure is not None
    assert "503" in drawn[1].failure
    assert len(tries) == 2
    assert drawn[0].ids
    assert drawn[2].ids


def choice(ids: list[Any], logps: list[float]) -> dict[str, Any]:
    return {"choices": [{"token_ids": ids, "logprobs": {"token_logprobs": logps}}]}


@pytest.mark.parametrize(
    "answer",
    [
        {"choices": [{"text": "hello"}]},
        {"choices": []},
        [],
        choice([1] * 50, [-1.0] * 50),
        choice(["a"], [-1.0]),
        choice([1, 2], [-1.0]),
        choice([40, 1], [-1.0, -1.0]),
        choice([1], [0.5]),
    ],
)
def test_an_answer_without_what_was_asked_for_is_a_failure(
    answer: Any, model: Path, stub: StubVllm, tmp_path: Path
) -> None:
    """No ids, no log-probs, too many, ids beyond an end: nothing is made up."""
    policy = served(model, stub, tmp_path)
    stub.change = lambda _answer: answer
    (drawn,) = asyncio.run(policy.sampler([[1]]).sampled({0: ask([2], Random(0))}, Draw())).values()
    assert drawn.failure is not None
    assert drawn.failure.startswith("malformed")


def test_a_server_without_adapters_is_said(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    policy = served(model, stub, tmp_path)
    stub.fail = lambda body: 404 if "lora_path" in body else None
    with pytest.raises(ConfigError, match="--enable-lora"):
        asyncio.run(policy.sampler([[1]]).sampled({0: ask([2], Random(0))}, Draw()))


def test_all_weights_cannot_be_served(model: Path, stub: StubVllm, tmp_path: Path) -> None:
    policy = load_policy(str(model))
    policy.serving = Serving(Server(url=stub.url, base="base", shared=tmp_path), "run")
    with pytest.raises(ConfigError, match=r"policy\.adapter"):
        policy.sampler([[1]])


def test_nobody_at_the_other_end_fails_the_rows(model: Path, tmp_path: Path) -> None:
    policy = load_policy(str(model), adapter=Lora())
    server = Server(url="http://127.0.0.1:9/v1", base="base", shared=tmp_path, attempts=1)
    policy.serving = Serving(server, "run")
    (drawn,) = asyncio.run(policy.sampler([[1]], base=True).sampled({0: ask([2], Random(0))}, Draw())).values()
    assert drawn.failure is not None
    assert drawn.failure.startswith("connection")


def test_a_recipe_names_the_server(tmp_path: Path) -> None:
    """Read as strictly as all else; an address that is none is said with its place."""
    from adidem.core.training.recipe import read_recipe

    file = tmp_path / "r.yaml"
    text = "policy:\n  model: hf:x\n  server: {url: URL, base: m, shared: /adapters}\n"
    file.write_text(text.replace("URL", "http://h:8000/v1"))
    server = read_recipe(file).recipe.policy.server
    assert server == Server(url="http://h:8000/v1", base="m", shared=Path("/adapters"))
    file.write_text(text.replace("URL", "h:8000"))
    with pytest.raises(ConfigError, match=r"r\.yaml:3:12: policy\.server\.url"):
        read_recipe(file)
