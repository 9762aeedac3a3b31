"""Log-probs, entropies and values of given tokens, for those positions that are asked for."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from adidem.core.policy.contracts import Scored
from adidem.core.policy.trunk import Trunk


def real(lengths: Tensor, n: int) -> Tensor:
    """Which of the tokens 1 … n-1 of a padded batch are not padding, [B, n-1]: by the lengths, never by the ids."""
    return torch.arange(1, n, device=lengths.device)[None] < lengths[:, None]


def score(
    trunk: Trunk,
    ids: Tensor,
    lengths: Tensor,
    *,
    temperature: float,
    where: Tensor | None = None,
    value: nn.Module | None = None,
) -> Scored:
    """See `Policy.score`; the temperature is above 0."""
    if temperature <= 0:
        raise ValueError(f"log-probs at temperature {temperature} are not defined: it must be above 0")
    asked = real(lengths, ids.shape[1])
    if where is not None:
        asked = asked & where
    hidden = trunk.hidden(ids[:, :-1])[asked]
    logits = trunk.logits(hidden) / temperature
    norm = logits.logsumexp(-1)
    chosen = logits.gather(-1, ids[:, 1:][asked][:, None])[:, 0] - norm
    with torch.no_grad():
        sharp = (logits - norm[:, None]).exp_()
        entropy = norm - (sharp * logits).sum(-1)
    worth = None if value is None else _placed(value(hidden), asked)
    return Scored(_placed(chosen, asked), _placed(entropy, asked), worth)


def _placed(found: Tensor, asked: Tensor) -> Tensor:
    """The numbers where they were asked for, 0 elsewhere."""
    return torch.zeros(asked.shape, dtype=found.dtype, device=found.device).masked_scatter(asked, found)
