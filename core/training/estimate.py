"""What a training run will hold and ask for, reckoned without loading a model: `adidem train --dry-run`.

Everything here is an estimate: conversations are taken to last to their limit of turns, four letters make a token, and
activations are those of a plain transformer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from adidem.core.domain import SEATS
from adidem.core.errors import ConfigError
from adidem.core.training.prepare import BASE, Phase, Ready
from adidem.core.training.recipe import PolicySettings, Size
from adidem.core.training.sampling import scenarios_needed

LETTERS = 4
"""Letters of a token."""

INSTRUCTIONS = 350
"""Tokens of what a chat model is told beside its card."""

GIB = 2**30
WIDE = {"float32": 4, "bfloat16": 2}
TRAINED = 16
"""Bytes of a trained number in float32: itself, its gradient, two moments."""

MODULES = 7
"""Linear layers of a transformer block that an adapter goes to: q, k, v, o, gate, up, down."""


@frozen
class Tokens:
    """Of one conversation: what it starts with, what the policy may say in it, all of it."""

    opening: int
    said: int
    all: int


def estimate(ready: Ready) -> dict[str, Any]:
    """Shapes, memory and calls of a run, as JSON. Raises ConfigError where a model's size is not known."""
    policy = ready.recipe.policy
    size = size_of(policy)
    found: dict[str, Any] = {"model": policy.model, "parameters": parameters(size), "trained": trained(policy, size)}
    stages = []
    for phase in ready.phases:
        tokens = tokens_of(ready, phase)
        stages.append(
            {
                "trainer": phase.trainer.name,
                "updates": phase.updates,
                "shapes": _shapes(phase, tokens),
                "memory_gib": _memory(policy, size, phase, tokens),
                "calls_per_update": _calls(ready, phase),
            }
        )
    return {**found, "stages": stages, "calls": _total(stages)}


def shown(found: Mapping[str, Any]) -> str:
    """The estimate as lines for a person."""
    lines = [
        f"{found['model']}: {found['parameters'] / 1e6:,.1f} M parameters, {found['trained'] / 1e6:,.2f} M trained"
    ]
    for stage in found["stages"]:
        shapes, memory, calls = stage["shapes"], stage["memory_gib"], stage["calls_per_update"]
        lines.append(f"{stage['trainer']}: {stage['updates']} updates, estimates")
        lines.append("  " + ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in shapes.items()))
        lines.append("  memory, GiB: " + ", ".join(f"{n.replace('_', ' ')} {x:.2f}" for n, x in memory.items()))
        lines.append("  an update asks: " + ", ".join(f"{n.replace('_', ' ')} {x:,}" for n, x in calls.items() if x))
    return "\n".join(
        [*lines, "in all: " + ", ".join(f"{n.replace('_', ' ')} {x:,}" for n, x in found["calls"].items() if x)]
    )


def size_of(policy: PolicySettings) -> Size:
    """The shape of the model: as the recipe says, as its folder says, or the tiny one's. Raises ConfigError."""
    if policy.size is not None:
        return policy.size
    if policy.model == "tiny" and policy.start is None:
        tiny = policy.tiny
        head = tiny.width // tiny.heads
        return Size(tiny.layers, tiny.width, tiny.inner, tiny.heads, tiny.kept, head, 256, tied=True)
    if policy.model == "hf:smollm2" and policy.start is None:
        return Size(30, 576, 1536, 9, 3, 64, 49152, tied=True)
    folder = policy.start or Path(policy.model.removeprefix("hf:")).expanduser()
    return _from_config(folder)


def _from_config(folder: Path) -> Size:
    try:
        said = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        heads = int(said["num_attention_heads"])
        return Size(
            int(said["num_hidden_layers"]),
            int(said["hidden_size"]),
            int(said["intermediate_size"]),
            heads,
            int(said.get("num_key_value_heads", heads)),
            int(said.get("head_dim") or said["hidden_size"] // heads),
            int(said["vocab_size"]),
            tied=bool(said.get("tie_word_embeddings", False)),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{folder}: the model's size is not known ({error}): set policy.size, or give its folder"
        ) from error


def parameters(size: Size) -> int:
    """All weights: embeddings, output, blocks, norms."""
    attention = size.width * size.head * (2 * size.heads + 2 * size.kept)
    block = attention + 3 * size.width * size.inner + 2 * size.width
    return size.vocabulary * size.width * (1 if size.tied else 2) + size.layers * block + size.width


def trained(policy: PolicySettings, size: Size) -> int:
    """What an optimizer holds: the adapter or all weights, and the value head."""
    value = size.width * size.width + 2 * size.width + 1
    if policy.adapter is None:
        return parameters(size) + value
    wide, narrow = size.heads * size.head, size.kept * size.head
    ends = {
        "q_proj": size.width + wide,
        "k_proj": size.width + narrow,
        "v_proj": size.width + narrow,
        "o_proj": size.width + wide,
        "gate_proj": size.width + size.inner,
        "up_proj": size.width + size.inner,
        "down_proj": size.width + size.inner,
    }
    targets = policy.adapter.targets or tuple(ends)
    each = sum(ends.get(name, 2 * size.width) for name in targets)
    return size.layers * policy.adapter.rank * each + value


def tokens_of(ready: Ready, phase: Phase) -> Tokens:
    """Tokens of a conversation that lasts to its limit. The tongue's openings are short whatever the texts are."""
    play = phase.play
    own = -(-play.turns // 2)
    if ready.recipe.policy.model == "tiny":
        return Tokens(40, own * 12 + 16, 40 + play.turns * 12 + 16)
    scenarios = ready.scenarios(0, scenarios_needed(phase.trainer.sampling, phase.conversations))
    letters = [
        len(s.public.story) + len(s.public.brief) + sum(len(c.text) for c in s.worlds[0].card(seat).conditions)
        for s in scenarios
        for seat in SEATS
    ]
    opening = INSTRUCTIONS + max(letters) // LETTERS
    said = own * play.turn_tokens + play.record_tokens
    return Tokens(opening, said, opening + play.turns * play.turn_tokens + play.record_tokens)


def _shapes(phase: Phase, tokens: Tokens) -> dict[str, int]:
    sampling = phase.trainer.sampling
    count = scenarios_needed(sampling, phase.conversations)
    return {
        "scenarios": count,
        "conversations": count * 2 * sampling.samples,
        "policy_turns_of_a_conversation": -(-phase.play.turns // 2) + 1,
        **{f"tokens_{name}": number for name, number in asdict(tokens).items()},
        "minibatches": phase.update.epochs * phase.update.minibatches,
        "micro_batch": phase.update.micro,
    }


def _memory(policy: PolicySettings, size: Size, phase: Phase, tokens: Tokens) -> dict[str, float]:
    wide = WIDE[policy.dtype]
    count, learned = parameters(size), trained(policy, size)
    whole = policy.adapter is None
    rows = min(phase.play.at_once, phase.conversations)
    both = 2 if phase.partner.agent == BASE else 1
    cache = both * rows * tokens.all * 2 * size.layers * size.kept * size.head * wide
    position = size.width * (2 if policy.checkpointing else 14) + (0 if policy.checkpointing else 4 * size.inner)
    activations = phase.update.micro * tokens.all * size.layers * position * wide
    logits = phase.update.micro * tokens.said * size.vocabulary * 4 * 2
    weights = count * wide * (2 if whole else 1)  # the reference of whole weights is a copy
    state = learned * (TRAINED if not whole else TRAINED - 4)
    parts = {"weights": weights, "optimizer": state, "kv_cache": cache, "learning": activations + logits}
    peak = weights + state + max(cache, activations + logits)
    return {name: round(number / GIB, 3) for name, number in {**parts, "peak": peak}.items()}


def _calls(ready: Ready, phase: Phase) -> dict[str, int]:
    """What an update asks of whom: generations of the policy, its probes and its partner, calls of judges' models."""
    sampling = phase.trainer.sampling
    count = scenarios_needed(sampling, phase.conversations) * 2 * sampling.samples
    own = -(-phase.play.turns // 2)
    agent = phase.partner.agent
    model = agent == BASE or not getattr(agent, "scripted", False)
    theirs = count * (phase.play.turns - own + 1)
    judges = [ready.judge, *([ready.conduct] if ready.conduct else []), *ready.raters]
    return {
        "policy_turns": count * own,
        "policy_records": count,
        "probes": count * own if sampling.probes else 0,
        "partner_generations": theirs if model else 0,
        "judge_calls": count * sum(seat.spec is not None for seat in judges),
        "annotator_calls": count if sampling.probes and ready.recipe.reward.annotator is not None else 0,
    }


def _total(stages: list[dict[str, Any]]) -> dict[str, int]:
    names = stages[0]["calls_per_update"] if stages else {}
    return {name: sum(s["updates"] * s["calls_per_update"][name] for s in stages) for name in names}
