"""A policy that trains a LoRA adapter: its reference, its value head, and that it goes on where it was."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest
import torch
from attrs import frozen

from adidem.core.errors import ConfigError
from adidem.core.policy.adapter import AdapterPolicy
from adidem.core.policy.loading import known_policy, load_policy
from adidem.core.policy.model import ModelPolicy
from adidem.core.policy.scoring import score
from tiny_chat import STRIPPING, write_chat_model


@frozen
class Lora:
    rank: int = 4
    alpha: int = 8
    targets: tuple[str, ...] = ()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_chat_model(tmp_path_factory.mktemp("model"))


IDS = torch.randint(0, 256, (3, 14), generator=torch.Generator().manual_seed(1))
LENGTHS = torch.tensor([14, 11, 9])


def logps(policy: ModelPolicy) -> torch.Tensor:
    return policy.score(IDS, LENGTHS, temperature=0.8).logp.detach()


def start(policy: ModelPolicy) -> torch.Tensor:
    return policy.reference(IDS, LENGTHS, temperature=0.8)


def step(policy: ModelPolicy, rate: float = 1e-2) -> None:
    """One step of everything that is trained."""
    optimizer = torch.optim.AdamW(policy.groups(), lr=rate)
    found = policy.score(IDS, LENGTHS, temperature=0.8, values=True)
    kl = start(policy) - found.logp
    (found.logp.sum() + (found.value - 1).pow(2).sum() + kl.sum()).backward()
    optimizer.step()
    optimizer.zero_grad()
    policy.changed()


@pytest.mark.parametrize("kept", [0, 4, 100, -7])
def test_a_broken_file_of_weights_is_named(kept: int, model: Path, tmp_path: Path) -> None:
    """Of the model, the adapter and the value head: cut off, or with an end that is missing."""
    load_policy(str(model), adapter=Lora()).save(tmp_path / "adapter")
    shutil.copytree(model, tmp_path / "model")
    for folder, name in (
        ("model", "model.safetensors"),
        ("adapter", "adapter_model.safetensors"),
        ("adapter", "value.safetensors"),
    ):
        file = tmp_path / folder / name
        whole = file.read_bytes()
        file.write_bytes(whole[:kept])
        with pytest.raises(ConfigError, match=rf"{folder}.*cannot be loaded|{folder}/{name}") as refused:
            load_policy(str(tmp_path / folder))
        assert name in str(refused.value)
        file.write_bytes(whole)


def test_a_value_head_of_another_model_is_refused(model: Path, tmp_path: Path) -> None:
    """Its numbers fit no place here."""
    from safetensors.torch import save_file

    load_policy(str(model)).save(tmp_path / "saved")
    save_file({"inner.weight": torch.zeros(2, 2)}, tmp_path / "saved" / "value.safetensors")
    with pytest.raises(ConfigError, match=r"value\.safetensors: the value head cannot be loaded"):
        load_policy(str(tmp_path / "saved"))


def test_a_fresh_adapter_changes_nothing_and_alone_is_trained(model: Path) -> None:
    """The policy is the base until the first step, and the base itself never moves."""
    whole, lora = load_policy(str(model)), load_policy(str(model), adapter=Lora())
    assert torch.allclose(logps(whole), logps(lora), atol=1e-6)
    names = [name for name, each in lora.model.named_parameters() if each.requires_grad]
    assert names
    assert all("lora_" in name for name in names)
    before = {n: p.detach().clone() for n, p in lora.model.named_parameters() if "lora_" not in n}
    step(lora)
    step(lora)
    after = dict(lora.model.named_parameters())
    assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())
    assert not torch.allclose(logps(whole), logps(lora), atol=1e-3)


def test_what_one_library_says_to_another_is_not_said_to_a_person(model: Path, tmp_path: Path) -> None:
    """A fresh adapter, and one that is loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        load_policy(str(model), adapter=Lora()).save(tmp_path)
        load_policy(str(tmp_path))


def test_trap_11_the_reference_of_a_fresh_adapter_is_the_base(model: Path) -> None:
    """And asking for it leaves what learns as it was: what requires a gradient, what is active, the next step."""
    policy = load_policy(str(model), adapter=Lora())
    base = logps(policy)
    step(policy)
    wanted = [name for name, each in policy.model.named_parameters() if each.requires_grad]
    now = logps(policy)
    assert torch.allclose(start(policy), base, atol=1e-6)
    assert [name for name, each in policy.model.named_parameters() if each.requires_grad] == wanted
    assert torch.equal(logps(policy), now)


def test_trap_11_the_reference_of_an_sft_adapter_is_that_adapter(model: Path, tmp_path: Path) -> None:
    """SFT, saved, then trained on: the reference is where the second training started, not the base."""
    sft = load_policy(str(model), adapter=Lora())
    base = logps(sft)
    for _ in range(3):
        step(sft)
    sft.save(tmp_path)
    policy = load_policy(str(tmp_path))
    assert isinstance(policy, AdapterPolicy)
    started = logps(policy)
    assert torch.allclose(started, logps(sft), atol=1e-5)
    assert not torch.allclose(started, base, atol=1e-3)
    wanted = [name for name, each in policy.model.named_parameters() if each.requires_grad]
    for _ in range(2):
        step(policy)
        assert torch.allclose(start(policy), started, atol=1e-5)
        assert [name for name, each in policy.model.named_parameters() if each.requires_grad] == wanted
    assert not torch.allclose(logps(policy), started, atol=1e-3)
    policy.anchor()
    assert torch.allclose(start(policy), logps(policy), atol=1e-5)


def test_the_base_partner_is_the_model_without_any_adapter(model: Path, tmp_path: Path) -> None:
    """Also where training starts from an adapter that has learned, and in a stage that starts from one; what learns is
    left as it was."""
    sft = load_policy(str(model), adapter=Lora())
    plain = logps(sft)
    for _ in range(3):
        step(sft)
    sft.save(tmp_path)
    policy = load_policy(str(tmp_path))
    policy.anchor()
    now, wanted = logps(policy), [name for name, each in policy.model.named_parameters() if each.requires_grad]
    assert torch.allclose(score(policy.origin, IDS, LENGTHS, temperature=0.8).logp, plain, atol=1e-6)
    assert not torch.allclose(start(policy), plain, atol=1e-3)
    assert torch.equal(logps(policy), now)
    assert [name for name, each in policy.model.named_parameters() if each.requires_grad] == wanted


def test_trap_11_the_value_head_is_out_of_reach_of_the_adapter(model: Path) -> None:
    """Switched off for the reference, the head is still whole; it is no part of the model and is saved apart."""
    policy = load_policy(str(model), adapter=Lora())
    assert not any("head" in name and "lm_head" not in name for name, _ in policy.model.named_parameters())
    step(policy)
    values = policy.score(IDS, LENGTHS, temperature=0.8, values=True).value.detach()
    start(policy)
    assert torch.equal(policy.score(IDS, LENGTHS, temperature=0.8, values=True).value.detach(), values)
    assert values.any()


@pytest.mark.parametrize("from_sft", [False, True])
def test_trap_16_an_adapter_with_its_value_head_goes_on_to_the_same_next_update(
    model: Path, tmp_path: Path, from_sft: bool
) -> None:
    """State into a policy loaded anew: weights, head and reference are equal to the bit after the next step."""
    source = str(model)
    if from_sft:
        sft = load_policy(source, adapter=Lora())
        step(sft)
        sft.save(tmp_path)
        source = str(tmp_path)
    one, two = (load_policy(source, adapter=Lora()) for _ in range(2))
    step(one)
    step(one)
    two.restore(one.state())
    assert torch.equal(start(one), start(two))
    step(one)
    step(two)
    assert torch.equal(logps(one), logps(two))
    values = [policy.score(IDS, LENGTHS, temperature=0.8, values=True).value for policy in (one, two)]
    assert torch.equal(*values)


def test_what_is_saved_plays_the_same(model: Path, tmp_path: Path) -> None:
    """Adapter and value head from the folder, its base by name; a whole policy too."""
    for adapter in (Lora(), None):
        folder = tmp_path / str(adapter is None)
        policy = load_policy(str(model), adapter=adapter, turn_tokens=17, record_tokens=23)
        step(policy)
        policy.save(folder)
        back = load_policy(f"hf:{folder}")
        assert torch.allclose(logps(back), logps(policy), atol=1e-6)
        assert torch.equal(back.head.outer.weight, policy.head.outer.weight)
        assert (back.codec.most("turn"), back.codec.most("record")) == (17, 23)
        card = known_policy(f"hf:{folder}")
        assert card is not None
        assert card.base == (None if adapter is None else str(model))


def test_gradient_checkpointing_changes_memory_and_no_gradient(model: Path) -> None:
    plain, sparing = (load_policy(str(model), adapter=Lora(), checkpointing=on) for on in (False, True))
    grads = []
    for policy in (plain, sparing):
        policy.score(IDS, LENGTHS, temperature=1.0).logp.sum().backward()
        grads.append([each.grad for group in policy.groups()[:1] for each in group["params"]])
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(*grads, strict=True))
    assert not sparing.model.training


def test_trap_9_dropout_in_the_model_is_taken_out(tmp_path: Path) -> None:
    """A model that says it drops attention: with checkpointing, which trains in training mode, scores stay the same."""
    import json

    folder = write_chat_model(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "attention_dropout": 0.5}))
    policy = load_policy(str(folder), checkpointing=True)
    quiet = load_policy(str(folder))
    assert torch.allclose(logps(policy), logps(quiet), atol=1e-6)


def test_bf16_is_near(model: Path) -> None:
    """Half the memory; the adapter itself stays in float32."""
    policy = load_policy(str(model), adapter=Lora(), dtype="bfloat16")
    assert policy.trunk.head.weight.dtype == torch.bfloat16
    assert all(each.dtype == torch.float32 for group in policy.groups() for each in group["params"])
    assert torch.allclose(logps(policy), logps(load_policy(str(model))), atol=0.1)
    step(policy)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (None, "neither adidem.json nor config.json"),
        ("{", "not readable"),
        ('{"format": 9}', "format"),
        ('{"format": 1, "kind": "adapter", "codec": "chat"}', "must name its base"),
        ('{"format": 1, "kind": "weights", "codec": "os"}', "unknown codec"),
    ],
)
def test_what_is_no_policy_is_refused_and_says_why(said: str | None, why: str, tmp_path: Path) -> None:
    if said is not None:
        (tmp_path / "adidem.json").write_text(said)
    with pytest.raises(ConfigError, match=why):
        load_policy(f"hf:{tmp_path}")
    with pytest.raises(ConfigError, match="no such folder"):
        load_policy(f"hf:{tmp_path / 'elsewhere'}")


def test_a_base_that_is_gone_is_said(model: Path, tmp_path: Path) -> None:
    import shutil

    there = shutil.copytree(model, tmp_path / "base")
    load_policy(str(there), adapter=Lora()).save(tmp_path / "ours")
    shutil.rmtree(there)
    with pytest.raises(ConfigError, match="its base is gone"):
        load_policy(str(tmp_path / "ours"))


def test_a_template_that_strips_reasoning_is_loaded_and_known(tmp_path: Path) -> None:
    policy = load_policy(str(write_chat_model(tmp_path, template=STRIPPING)))
    assert policy.codec.pieces.strips
