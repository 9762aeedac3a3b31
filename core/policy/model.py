"""What every trained policy has, whatever of its model is trained: scores, a value head, a reference, its files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from adidem.core.errors import ConfigError
from adidem.core.policy.contracts import Codec, Sampler, Scored
from adidem.core.policy.lockstep import Lockstep
from adidem.core.policy.scoring import score
from adidem.core.policy.server import Serving
from adidem.core.policy.stored import Card, write_card
from adidem.core.policy.trunk import Trunk, without_dropout
from adidem.core.policy.value import ValueHead

VALUE_FILE = "value.safetensors"


class ModelPolicy(ABC):
    """A policy over a Hugging Face causal model. What is trained of it, and what its reference is, its kinds say.

    `version` counts the updates, whatever was cached for sampling belongs to one. `serving` is the server that samples;
    None: it is done here.
    """

    kind = "weights"

    def __init__(self, model: nn.Module, codec: Codec, *, detach: bool = False, checkpointing: bool = False) -> None:
        self.model, self.codec = model, codec
        without_dropout(model)
        model.eval()
        self.trunk = Trunk(model)
        self.head = ValueHead(self.trunk.width, detach=detach).to(self.trunk.device)
        self.version = 0
        self.serving: Serving | None = None
        self.checkpointing = checkpointing
        if checkpointing:
            whole = self.trunk.whole
            name = "activation_checkpointing_enable"  # what newer versions of transformers call it
            getattr(whole, name, whole.gradient_checkpointing_enable)({"use_reentrant": False})

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.trunk.device

    def score(
        self, ids: Tensor, lengths: Tensor, *, temperature: float, values: bool = False, where: Tensor | None = None
    ) -> Scored:
        """See `Policy`."""
        head = self.head if values else None
        with self._remembering_little():
            return score(self.trunk, ids, lengths, temperature=temperature, where=where, value=head)

    @torch.no_grad()
    def reference(self, ids: Tensor, lengths: Tensor, *, temperature: float, where: Tensor | None = None) -> Tensor:
        """See `Policy`."""
        return score(self.start, ids, lengths, temperature=temperature, where=where).logp

    def sampler(self, openings: Sequence[Sequence[int]], *, base: bool = False) -> Sampler:
        """See `Policy`. On the server, where one was set."""
        if self.serving is not None:
            return self.serving.sampler(self, openings, base=base)
        return Lockstep(self.origin if base else self.trunk, openings)

    def save_adapter(self, folder: Path) -> None:
        """See `adidem.core.policy.server.Learner`. Raises ConfigError where all weights are trained."""
        raise ConfigError("a server samples from adapters: set policy.adapter, or sample here")

    def groups(self) -> list[dict[str, Any]]:
        """See `Policy`."""
        trained = [each for each in self.model.parameters() if each.requires_grad]
        return [{"name": "policy", "params": trained}, {"name": "value", "params": list(self.head.parameters())}]

    def changed(self) -> None:
        """See `Policy`."""
        self.version += 1

    def state(self) -> dict[str, Any]:
        """See `Policy`."""
        return {
            "trained": _copied(self._trained()),
            "value": _copied(self.head.state_dict()),
            "reference": self._reference_state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See `Policy`."""
        with torch.no_grad():
            trained = self._trained()
            for name, tensor in state["trained"].items():
                trained[name].copy_(tensor)
        self.head.load_state_dict(state["value"])
        self._restore_reference(state["reference"])
        self.changed()

    def save(self, folder: Path) -> None:
        """See `Policy`."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        self._save_model(folder)
        save_file({name: each.contiguous().cpu() for name, each in self.head.state_dict().items()}, folder / VALUE_FILE)
        self.codec.save(folder)
        write_card(folder, self._card())

    def load_value(self, folder: Path) -> None:
        """Take over the value head that lies in a folder, where there is one.

        Raises:
            ConfigError: its file cannot be read, or it is another model's.
        """
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        file = folder / VALUE_FILE
        if not file.is_file():
            return
        try:
            self.head.load_state_dict(load_file(file, device=str(self.device)))
        except (OSError, RuntimeError, SafetensorError) as error:
            said = " ".join(str(error).split())[:300]
            raise ConfigError(f"{file}: the value head cannot be loaded: {said}") from error

    @contextmanager
    def _remembering_little(self) -> Iterator[None]:
        """Checkpointing works in training mode alone; there is no dropout left that would make it another model."""
        if not (self.checkpointing and torch.is_grad_enabled()):
            yield
            return
        self.model.train()
        try:
            yield
        finally:
            self.model.eval()

    @property
    @abstractmethod
    def start(self) -> Trunk:
        """The model as this stage of training started from it, for scores."""

    @property
    @abstractmethod
    def origin(self) -> Trunk:
        """The model as the partner `base` speaks with it, in every stage."""

    @abstractmethod
    def anchor(self) -> None:
        """See `Policy`."""

    @abstractmethod
    def _trained(self) -> dict[str, Tensor]:
        """The trained tensors by name."""

    @abstractmethod
    def _reference_state(self) -> Any: ...

    @abstractmethod
    def _restore_reference(self, state: Any) -> None: ...

    @abstractmethod
    def _save_model(self, folder: Path) -> None: ...

    @abstractmethod
    def _card(self) -> Card: ...


def _copied(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
