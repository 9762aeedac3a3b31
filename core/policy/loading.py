"""Policies by what names them: a folder that a policy was saved in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from adidem.core.errors import ConfigError
from adidem.core.policy.codecs import load_codec
from adidem.core.policy.stored import FILE, read_card

if TYPE_CHECKING:
    from adidem.core.policy.model import ModelPolicy


def load_policy(
    spec: str,
    *,
    adapter: Any = None,
    dtype: str = "float32",
    device: str = "cpu",
    checkpointing: bool = False,
    detach: bool = False,
    turn_tokens: int = 96,  # noqa: ARG001  for codecs of chat models
    record_tokens: int = 96,  # noqa: ARG001
) -> ModelPolicy:
    """The policy of a folder, on that device.

    Raises:
        ConfigError: there is no such folder, or it holds no policy.
    """
    import torch
    from transformers import AutoModelForCausalLM

    from adidem.core.policy.weights import WeightsPolicy

    folder = Path(spec).expanduser()
    card = read_card(folder) if folder.is_dir() else None
    if card is None:
        raise ConfigError(f"{folder}: there is no policy: a folder with {FILE} is wanted")
    if card.kind != "weights" or adapter is not None:
        raise ConfigError(f"{folder}: adapters cannot be trained yet")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype)).to(device)
    policy = WeightsPolicy(model, load_codec(card.codec, folder), detach=detach, checkpointing=checkpointing)
    if card.value:
        policy.load_value(folder)
    return policy
