"""Draws tokens from logits: each row by its own random stream, so that no row's tokens depend on the others."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import torch
from torch import Tensor

from adidem.core.policy.draw import Draw


def pick(logits: Tensor, draw: Draw, streams: Sequence[Random]) -> tuple[list[int], list[float]]:
    """One token for each row of `logits` [b, V], with its log-prob under the temperature (0.0 where it is 0); one
    number is drawn from each row's stream."""
    if draw.temperature == 0:
        return logits.argmax(-1).tolist(), [0.0] * len(logits)
    logps = (logits / draw.temperature).log_softmax(-1)
    weights = logps.double().exp()
    if draw.top_p < 1:
        weights = _likeliest(weights, draw.top_p)
    sums = weights.cumsum(-1)
    uniform = torch.tensor([stream.random() for stream in streams], dtype=torch.float64, device=logits.device)
    chosen = (sums <= (uniform * sums[:, -1])[:, None]).sum(-1).clamp_(max=logits.shape[-1] - 1)
    return chosen.tolist(), logps.gather(-1, chosen[:, None])[:, 0].tolist()


def _likeliest(weights: Tensor, share: float) -> Tensor:
    """The weights of the fewest likeliest tokens that together have this share, 0 for the others."""
    ordered, places = weights.sort(-1, descending=True)
    kept = ordered.where(ordered.cumsum(-1) - ordered < share * ordered.sum(-1, keepdim=True), torch.zeros(()))
    return torch.zeros_like(weights).scatter(-1, places, kept)
