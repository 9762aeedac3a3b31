"""A causal language model in two halves: tokens to hidden states, with or without a kept cache, and these to logits."""

from __future__ import annotations

import inspect
from typing import Any, cast

import torch
from torch import Tensor, nn

from adidem.core.errors import ConfigError

_PROBE_TOKENS = 5
_CLOSE = 1e-2


class Trunk:
    """Any Hugging Face decoder, in halves so that logits are made only of the states that are asked for: of a large
    vocabulary they are most of the memory.

    Raises:
        ConfigError: the model does more to its logits than its head and its configuration say.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        under: Any = getattr(model, "get_base_model", None)  # PEFT wraps the model that it puts an adapter into
        self.whole = cast("Any", model if under is None else under())
        self.decoder: Any = self.whole.get_decoder()
        self.head: Any = self.whole.get_output_embeddings()
        self.config: Any = self.whole.config
        names = inspect.signature(self.decoder.forward).parameters
        self._cache_argument = "cache" if "cache" in names else "past_key_values"
        self._check()

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(self.model.parameters()).device

    @property
    def width(self) -> int:
        """Numbers in a hidden state."""
        return int(self.head.weight.shape[1])

    def hidden(
        self, ids: Tensor, positions: Tensor | None = None, *, cache: Any = None, mask: Tensor | None = None
    ) -> Tensor:
        """The hidden states [B, n, d] of `ids` [B, n] at `positions` [B, n] (0, 1, … where not given). Without a cache
        a token sees those before it in its row, so what is padded on the right touches nothing; with one, `mask`
        [B, 1, n, T] says which columns of it each token sees."""
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device).expand(ids.shape[0], -1)
        given = {} if cache is None else {self._cache_argument: cache, "attention_mask": mask}
        out: Tensor = self.decoder(input_ids=ids, position_ids=positions, use_cache=False, **given).last_hidden_state
        return out

    def logits(self, hidden: Tensor) -> Tensor:
        """The logits [..., V] of hidden states, in float32."""
        found: Tensor = self.head(hidden).float()
        scale = getattr(self.config, "logit_scale", None)
        if scale is not None:
            found = found * scale
        divisor = getattr(self.config, "logits_scaling", None)
        if divisor is not None:
            found = found / divisor
        cap = getattr(self.config, "final_logit_softcapping", None)
        return found if cap is None else torch.tanh(found / cap) * cap

    @torch.no_grad()
    def _check(self) -> None:
        """Compare with the model's own logits, once: a family of models with a step of its own is refused, not
        trained wrongly."""
        if self.device.type == "meta":
            return
        was = self.model.training
        self.model.eval()
        ids = torch.arange(_PROBE_TOKENS, device=self.device)[None] % self.head.weight.shape[0]
        theirs = self.model(input_ids=ids).logits.float()
        ours = self.logits(self.hidden(ids))
        self.model.train(was)
        width = max(1.0, float(theirs.abs().max()))
        if theirs.shape != ours.shape or float((theirs - ours).abs().max()) > _CLOSE * width:
            name = getattr(self.config, "model_type", type(self.whole).__name__)
            raise ConfigError(
                f"a model of type {name!r} does more to its logits than is known here; its policy cannot be trained"
            )


def without_dropout(model: nn.Module) -> None:
    """Take dropout out of a model, in training mode too: the first step's ratio to the behaviour must be 1."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        for name in ("attention_dropout", "dropout", "activation_dropout", "resid_dropout", "embd_dropout"):
            if isinstance(getattr(module, name, None), float):
                setattr(module, name, 0.0)
