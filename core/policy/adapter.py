"""A policy that trains a LoRA adapter; its reference is the base without it, or a frozen second adapter.

Where training starts from an adapter that has learned something (supervised, say), the reference is that adapter as it
was: a copy, switched on for the reference alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from adidem.core.policy.contracts import Codec
from adidem.core.policy.model import ModelPolicy
from adidem.core.policy.quiet import quiet
from adidem.core.policy.stored import Card
from adidem.core.policy.trunk import Trunk

OURS, START = "default", "start"
"""The adapter that learns, and the copy of it from where training started."""


class AdapterPolicy(ModelPolicy):
    """See `ModelPolicy`. `model` is a PEFT model with one adapter, named `default`; `base` is how `hf:` names what it
    rests on."""

    kind = "adapter"

    def __init__(
        self, model: nn.Module, codec: Codec, base: str, *, detach: bool = False, checkpointing: bool = False
    ) -> None:
        self.base = base
        super().__init__(model, codec, detach=detach, checkpointing=checkpointing)
        if checkpointing:
            self.trunk.whole.enable_input_require_grads()
        self._names = [name for name, each in model.named_parameters() if each.requires_grad]
        self._start, self._origin = _StartTrunk(model, self._has_start), _StartTrunk(model, lambda: False)
        self.anchor()

    @property
    def start(self) -> Trunk:
        """See `ModelPolicy`."""
        return self._start

    @property
    def origin(self) -> Trunk:
        """See `ModelPolicy`: the base, whatever the adapter learned before."""
        return self._origin

    @torch.no_grad()
    def anchor(self) -> None:
        """See `Policy`. A fresh adapter changes nothing yet: then the base alone is the start."""
        model: Any = self.model
        if START in model.peft_config:
            model.delete_adapter(START)
        if any(bool(each.any()) for name, each in self._trained().items() if "lora_B" in name):
            model.add_adapter(START, model.peft_config[OURS])
            self._copy_to_start({name: each.detach() for name, each in self._trained().items()})
        model.set_adapter(OURS)

    def _has_start(self) -> bool:
        peft: Any = self.model
        return START in peft.peft_config

    def _copy_to_start(self, tensors: dict[str, Tensor]) -> None:
        there = dict(self.model.named_parameters())
        for name, tensor in tensors.items():
            there[name.replace(f".{OURS}.", f".{START}.")].copy_(tensor)

    def _trained(self) -> dict[str, Tensor]:
        there = dict(self.model.named_parameters())
        return {name: there[name] for name in self._names}

    def _reference_state(self) -> Any:
        """None where the base is the reference."""
        if not self._has_start():
            return None
        there = dict(self.model.named_parameters())
        return {name: there[name.replace(f".{OURS}.", f".{START}.")].detach().cpu().clone() for name in self._names}

    @torch.no_grad()
    def _restore_reference(self, state: Any) -> None:
        model: Any = self.model
        if START in model.peft_config:
            model.delete_adapter(START)
        if state is not None:
            model.add_adapter(START, model.peft_config[OURS])
            self._copy_to_start(state)
        model.set_adapter(OURS)

    def _save_model(self, folder: Path) -> None:
        model: Any = self.model
        with quiet():
            model.save_pretrained(folder, selected_adapters=[OURS], save_embedding_layers=False)

    def save_adapter(self, folder: Path) -> None:
        """See `adidem.core.policy.server.Learner`."""
        self._save_model(folder)

    def _card(self) -> Card:
        return Card("adapter", self.codec.name, base=self.base, value=True)


class _StartTrunk(Trunk):
    """The model with the adapter switched back to where training started, for the length of one forward pass. What
    learns is left as it was, its `requires_grad` too, which switching adapters sets."""

    def __init__(self, model: nn.Module, has_start: Any) -> None:
        self._has_start = has_start
        super().__init__(model)

    def hidden(
        self, ids: Tensor, positions: Tensor | None = None, *, cache: Any = None, mask: Tensor | None = None
    ) -> Tensor:
        """See `Trunk`."""
        with self._switched():
            return super().hidden(ids, positions, cache=cache, mask=mask)

    def _check(self) -> None:
        """The same model was checked already."""

    @contextmanager
    def _switched(self) -> Iterator[None]:
        model: Any = self.model
        if not self._has_start():
            with model.disable_adapter():
                yield
            return
        model.set_adapter(START, inference_mode=True)
        try:
            yield
        finally:
            model.set_adapter(OURS)
