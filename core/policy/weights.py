"""A policy that trains all of its model's weights; its reference is a frozen copy of the start."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from adidem.core.policy.contracts import Codec
from adidem.core.policy.model import ModelPolicy
from adidem.core.policy.quiet import quiet
from adidem.core.policy.stored import Card
from adidem.core.policy.trunk import Trunk


class WeightsPolicy(ModelPolicy):
    """See `ModelPolicy`."""

    kind = "weights"

    def __init__(self, model: nn.Module, codec: Codec, *, detach: bool = False, checkpointing: bool = False) -> None:
        super().__init__(model, codec, detach=detach, checkpointing=checkpointing)
        self._start = self._origin = self._frozen()

    def anchor(self) -> None:
        """See `Policy`. A policy that is as it was at first is not copied twice."""
        self._start = self._origin if self._is_origin(self._trained()) else self._frozen()

    @property
    def start(self) -> Trunk:
        """See `ModelPolicy`."""
        return self._start

    @property
    def origin(self) -> Trunk:
        """See `ModelPolicy`: a copy of its own from the second stage on."""
        return self._origin

    def _is_origin(self, tensors: Mapping[str, Tensor]) -> bool:
        there = dict(self._origin.model.named_parameters())
        return all(torch.equal(there[name], tensor.to(self.device)) for name, tensor in tensors.items())

    def _frozen(self) -> Trunk:
        twin = copy.deepcopy(self.model)
        twin.requires_grad_(False)
        twin.eval()
        return Trunk(twin)

    def _trained(self) -> dict[str, Tensor]:
        return dict(self.model.named_parameters())

    def _reference_state(self) -> Any:
        return {name: tensor.detach().cpu().clone() for name, tensor in self._start.model.named_parameters()}

    @torch.no_grad()
    def _restore_reference(self, state: Any) -> None:
        self._start = self._origin if self._is_origin(state) else self._frozen()
        there = dict(self._start.model.named_parameters())
        for name, tensor in state.items():
            there[name].copy_(tensor)

    def _save_model(self, folder: Path) -> None:
        with quiet():
            self.trunk.whole.save_pretrained(folder)

    def _card(self) -> Card:
        return Card("weights", self.codec.name, value=True)
