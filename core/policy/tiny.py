"""A small Llama from scratch, for the lab: half a million parameters that learn on one core."""

from __future__ import annotations

import math

import torch
from attrs import frozen
from torch import nn

from adidem.core.policy.contracts import Codec
from adidem.core.policy.weights import WeightsPolicy


@frozen
class Shape:
    """The size of a tiny model. `positions`: the most tokens of a conversation. The query heads share `kept` heads of
    keys and values: with all their own, reading the cache is most of the time that sampling takes."""

    width: int = 128
    layers: int = 3
    heads: int = 4
    kept: int = 1
    inner: int = 352
    positions: int = 512


def tiny(
    codec: Codec, vocabulary: int, shape: Shape = Shape(), *, seed: int = 0, detach: bool = False
) -> WeightsPolicy:
    """A policy of `vocabulary` tokens with weights drawn from the seed alone."""
    return WeightsPolicy(tiny_model(vocabulary, shape, seed=seed), codec, detach=detach)


def tiny_model(vocabulary: int, shape: Shape = Shape(), *, seed: int = 0) -> nn.Module:
    """A Llama with tied embeddings. Layers that write to the residual stream start smaller the more there are, so that
    the lab's large learning rates do not blow up."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kept,
        max_position_embeddings=shape.positions,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        model: nn.Module = LlamaForCausalLM(config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                weight.normal_(0.0, _deviation(name, weight, shape.layers), generator=generator)
    return model


def _deviation(name: str, weight: torch.Tensor, layers: int) -> float:
    if "embed" in name:
        return 0.02
    into_stream = name.endswith(("o_proj.weight", "down_proj.weight"))
    return 1.0 / math.sqrt(weight.shape[1] * (2 * layers if into_stream else 1))
