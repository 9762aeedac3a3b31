"""What a training run will hold and ask for, reckoned without loading a model: `adidem train --dry-run`.

Everything here is an estimate: conversations are taken to last to their limit of turns, four letters make a token, and
activations are those of a plain transformer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from attrs import asdict, evolve, frozen

from adidem.core.domain import SEATS
from adidem.core.errors import ConfigError
from adidem.core.policy.stored import FILE, read_card
from adidem.core.runs.estimate import VERDICT, VERDICT_ASKED
from adidem.core.training.evaluate import evaluations_of, trial_jobs
from adidem.core.training.lab.base import base_place, is_made
from adidem.core.training.prepare import BASE, Phase, Ready
from adidem.core.training.recipe import Adapter, Evaluation, Imitation, PolicySettings, Size
from adidem.core.training.sampling import scenarios_needed

LETTERS = 4
"""Letters of a token."""

INSTRUCTIONS = 350
"""Tokens of what a chat model is told beside its card."""

GIB = 2**30
ADAPTER = "adapter_config.json"
WIDE = {"float32": 4, "bfloat16": 2}
TRAINED = 16
"""Bytes of a trained number in float32: itself, its gradient, two moments."""

MODULES = 7
"""Linear layers of a transformer block that an adapter goes to: q, k, v, o, gate, up, down."""


Asked: TypeAlias = tuple[int, int, int]
"""Of a conversation: calls, tokens of their prompts, tokens of their answers."""

ASKED = ("calls", "prompt_tokens", "completion_tokens")


@frozen
class Tokens:
    """Of one conversation: what it starts with, what the policy may say in it, all of it."""

    opening: int
    said: int
    all: int


def estimate(ready: Ready, *, cell: bool = False, made: int = 0) -> dict[str, Any]:
    """Everything that a run does, with shapes, memory and calls, as JSON; `cell` says that it is one of a study, whose
    start is made and tried once for all, `made` how many updates lie in its folder already.

    Raises:
        ConfigError: a model is not known at all.
    """
    policy = _as_trained(ready.recipe.policy)
    size = size_of(policy)
    learned = trained(policy, size)
    stages = [_stage(ready, phase, policy, size) for phase in ready.phases]
    evaluation = _evaluation(ready, cell=cell)
    parts = [(stage["updates"], stage["asked_of_others_per_update"]) for stage in stages]
    parts += [(evaluation["passes"], evaluation["asked_of_others_per_pass"])] if evaluation else []
    return {
        "model": policy.model,
        "parameters": parameters(size),
        "trained": learned,
        "updates_made": made,
        "start": _start(ready),
        "stages": stages,
        "evaluation": evaluation,
        "checkpoints": _checkpoints(ready, policy, learned),
        "calls": _total(stages),
        "asked_of_others": _summed(parts),
    }


def _stage(ready: Ready, phase: Phase, policy: PolicySettings, size: Size) -> dict[str, Any]:
    tokens, shapes = tokens_of(ready, phase), _shapes(phase, tokens_of(ready, phase))
    sampling, own = phase.trainer.sampling, -(-phase.play.turns // 2)
    by_others = sampling.source == "demonstrator"
    probes = own if sampling.probes else 0
    asked = _asked(ready, phase, tokens, probes=probes, by_others=by_others)
    if sampling.probes and ready.recipe.reward.annotator is not None:
        asked["annotator"] = _judging(phase, tokens)
    return {
        "trainer": phase.trainer.name,
        "updates": phase.updates,
        "played_by": phase.demonstrator.name if by_others and phase.demonstrator is not None else "policy",
        "samples": sampling.samples,
        "epochs": phase.update.epochs,
        "shapes": shapes,
        "memory_gib": _memory(policy, size, phase, tokens),
        "calls_per_update": _calls(ready, phase),
        "asked_of_others_per_update": _times(shapes["conversations"], asked),
    }


def _start(ready: Ready) -> dict[str, Any]:
    """What training starts from, and what making it takes."""
    recipe = ready.recipe
    if recipe.policy.start is not None or recipe.policy.model != "tiny":
        return {"from": str(recipe.policy.start or recipe.policy.model)}
    imitation = recipe.imitation or Imitation()
    place = base_place(ready.rules, imitation, recipe.policy.tiny, ready.phases[0].play.turns)
    return {
        "from": "imitation",
        "kept": str(place) if is_made(place) else None,
        "scenarios": imitation.scenarios,
        "demonstrations": imitation.scenarios * imitation.each,
        "steps": imitation.steps if imitation.seconds is None else None,
        "seconds": imitation.seconds,
        "batch": imitation.batch,
    }


def _evaluation(ready: Ready, *, cell: bool) -> dict[str, Any] | None:
    """When the policy is tried, and in how many episodes of which kinds."""
    if ready.recipe.evaluation is None and not cell:
        return None
    asked = ready.recipe.evaluation or Evaluation()
    updates = sum(phase.updates for phase in ready.phases)
    after = {0, updates} | ({u for u in range(1, updates) if u % asked.every == 0} if asked.every else set())
    scenarios, attempts = evaluations_of(ready)
    episodes = {each.name: len(trial_jobs(scenarios, each.settings)) for each in attempts}
    phase = ready.phases[0]
    tokens = tokens_of(ready, phase)
    others = [(episodes[e.name], _asked(ready, evolve(phase, partner=e.across), tokens, trial=True)) for e in attempts]
    return {
        "split": asked.split,
        "passes": 1 if cell else len(after),
        "after_updates": [updates] if cell else sorted(after),
        "episodes": episodes,
        "episodes_of_a_pass": sum(episodes.values()),
        "asked_of_others_per_pass": _summed(others),
    }


def _checkpoints(ready: Ready, policy: PolicySettings, learned: int) -> dict[str, Any]:
    recipe, ends, end = ready.recipe, set[int](), 0
    for phase in ready.phases:
        end += phase.updates
        ends.add(end)
    places = (ends | set(range(recipe.save_every, end + 1, recipe.save_every))) - {0}
    whole = policy.adapter is None  # then the reference is kept too
    held = learned * WIDE[policy.dtype] * (4 if whole else 3)
    kept = min(recipe.keep, len(places))
    return {"written": len(places), "every": recipe.save_every, "kept": kept, "gib_each": round(held / GIB, 3)}


def _asked(
    ready: Ready, phase: Phase, tokens: Tokens, *, probes: int = 0, by_others: bool = False, trial: bool = False
) -> dict[str, Asked]:
    """What one conversation asks of servers and of models that are called, by whom."""
    own, theirs = -(-phase.play.turns // 2), phase.play.turns // 2
    server, partner, found = ready.recipe.policy.server is not None, phase.partner.agent, dict[str, Asked]()
    if by_others and phase.demonstrator is not None and not getattr(phase.demonstrator, "scripted", False):
        found["demonstrator"] = _speaking(phase, tokens, own, 0)
    if server and not by_others:
        found["policy's server"] = _speaking(phase, tokens, own, probes)
    if partner == BASE and server:
        found["partner, on the policy's server"] = _speaking(phase, tokens, theirs, 0)
    elif not isinstance(partner, str) and not getattr(partner, "scripted", False):
        found["partner"] = _speaking(phase, tokens, theirs, 0)
    conduct = [ready.conduct] if ready.conduct and not trial else []
    for seat in (ready.judge, *conduct, *ready.raters):
        if seat.spec is not None:
            found[f"judge {seat.label}"] = _judging(phase, tokens)
    return found


def _speaking(phase: Phase, tokens: Tokens, turns: int, probes: int) -> Asked:
    """So many turns and a record of one speaker, and so many probes, each after a turn."""
    said, written = phase.play.turn_tokens, phase.play.record_tokens
    heard = sum(tokens.opening + 2 * turn * said for turn in range(turns))
    whole = tokens.opening + phase.play.turns * said
    asked = sum(tokens.opening + (2 * turn + 1) * said for turn in range(probes))
    return turns + 1 + probes, heard + whole + asked, turns * said + (1 + probes) * written


def _judging(phase: Phase, tokens: Tokens) -> Asked:
    return 1, VERDICT_ASKED + tokens.opening + phase.play.turns * phase.play.turn_tokens, VERDICT


def _times(count: int, asked: Mapping[str, Asked]) -> dict[str, dict[str, int]]:
    return _summed([(count, asked)])


def _summed(parts: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[str, dict[str, int]]:
    """What is asked of whom, so many times over each."""
    found: dict[str, dict[str, int]] = {}
    for count, asked in parts:
        for who, numbers in asked.items():
            named = numbers if isinstance(numbers, Mapping) else dict(zip(ASKED, numbers, strict=True))
            mine = found.setdefault(who, dict.fromkeys(ASKED, 0))
            for name in ASKED:
                mine[name] += count * named[name]
    return found


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
    return _of_folder(policy.start or Path(policy.model.removeprefix("hf:")).expanduser())


def _of_folder(folder: Path) -> Size:
    """The shape of a model in a folder; of an adapter that was saved there, of what it rests on."""
    card = read_card(folder) if (folder / FILE).is_file() else None
    if card is None or card.base is None:
        return _from_config(folder)
    return size_of(PolicySettings(model=f"hf:{card.base.removeprefix('hf:')}"))


def _as_trained(policy: PolicySettings) -> PolicySettings:
    """The settings with the adapter that training goes on with, where it starts from a folder that holds one."""
    folder = policy.start or Path(policy.model.removeprefix("hf:")).expanduser()
    card = read_card(folder) if (folder / FILE).is_file() else None
    if card is None or card.kind != "adapter":
        return policy
    try:
        said = json.loads((folder / ADAPTER).read_text(encoding="utf-8"))
        targets = tuple(str(name).rpartition(".")[2] for name in said["target_modules"])
        return evolve(policy, adapter=Adapter(rank=int(said["r"]), targets=targets))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{folder / ADAPTER}: the adapter's size is not known ({error})") from error


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
        "minibatches": phase.update.epochs * min(phase.update.minibatches, count * 2 * sampling.samples),
        "minibatches_asked": phase.update.epochs * phase.update.minibatches,
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
    shown = sampling.source == "demonstrator"
    judges = [ready.judge, *([ready.conduct] if ready.conduct else []), *ready.raters]
    return {
        "policy_turns": 0 if shown else count * own,
        "policy_records": 0 if shown else count,
        "demonstrator_turns": count * own if shown else 0,
        "probes": count * own if sampling.probes else 0,
        "partner_generations": theirs if model else 0,
        "judge_calls": count * sum(seat.spec is not None for seat in judges),
        "annotator_calls": count if sampling.probes and ready.recipe.reward.annotator is not None else 0,
    }


def _total(stages: list[dict[str, Any]]) -> dict[str, int]:
    names = stages[0]["calls_per_update"] if stages else {}
    return {name: sum(s["updates"] * s["calls_per_update"][name] for s in stages) for name in names}
