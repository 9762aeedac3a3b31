"""The value head: what a state is worth, outside the model and any adapter in it."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ValueHead(nn.Module):
    """Two layers with tanh between, in float32, 0 everywhere at the start. `detach` keeps its gradient out of the
    model. It is no part of the model, so neither `disable_adapter` nor the reference reaches it."""

    def __init__(self, width: int, *, detach: bool = False, seed: int = 0) -> None:
        super().__init__()
        self.detach = detach
        with torch.random.fork_rng(devices=[]):  # what a layer draws for itself at first leaves nothing global moved
            self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, 1)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            self.inner.weight.normal_(0.0, width**-0.5, generator=generator)
            for tensor in (self.inner.bias, self.outer.weight, self.outer.bias):
                tensor.zero_()

    def forward(self, hidden: Tensor) -> Tensor:
        """Of hidden states [..., d], their worth [...]."""
        state = (hidden.detach() if self.detach else hidden).float()
        worth: Tensor = self.outer(torch.tanh(self.inner(state))).squeeze(-1)
        return worth
