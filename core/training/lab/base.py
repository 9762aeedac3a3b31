"""The lab's starting policy: a tiny model that has imitated mixed demonstrators for a few minutes.

It learns what the demonstrators say and record, and at a tenth of the weight everything else that was said, so that it
knows what partners mean. It is made once and kept; every trainer of a study starts from the same one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

import attrs
from attrs import frozen

from adidem.core.contracts import Family
from adidem.core.domain import Scenario, Split
from adidem.core.errors import ConfigError, PlanError
from adidem.core.llm.cache import cache_file
from adidem.core.policy.tongue import Tongue, load, surface_words, vocabulary_of
from adidem.core.rules import Rules
from adidem.core.training.contracts import Trajectory
from adidem.core.training.lab.demonstrations import demonstrate, drawn_scenarios
from adidem.core.training.lab.partner import PARTNER, LabPartner, partner_phrases
from adidem.core.training.recipe import Imitation, Tiny

if TYPE_CHECKING:
    from torch import Tensor

    from adidem.core.policy.weights import WeightsPolicy

OTHERS = 0.1
"""The weight of tokens that the demonstrator did not say."""

WARM, FLOOR, BUCKET = 100, 0.03, 16
"""Steps of warming up; the share of the learning rate that is left at the end; batches sorted by length together."""

REPORT = "imitation.json"

Shown = Callable[[str], None]


@frozen
class Learned:
    """What came of imitation: steps and seconds, and the demonstrator's negative log-likelihood a token, smoothed."""

    demonstrations: int
    steps: int
    seconds: float
    nll: float


def tongue_of(families: Mapping[str, Family]) -> Tongue:
    """The tongue of these families: their settings to train and to develop on, and the partners' phrases."""
    seen = [s for family in families.values() for split in ("train", "dev") for s in _settings(family, split)]
    return Tongue(vocabulary_of(families, seen, surface_words(partner_phrases(PARTNER).values())))


def base_place(names: Iterable[str], imitation: Imitation, size: Tiny, turns: int) -> Path:
    """Where the starting policy is kept: the same for every run of the same imitation, size, families and turns."""
    said = [attrs.asdict(imitation), attrs.asdict(size), list(names), turns]
    name = sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]
    return cache_file().parent / "lab" / name


def is_made(folder: Path) -> bool:
    """Whether the starting policy lies there, whole."""
    return (folder / REPORT).is_file()


def make_base(
    rules: Mapping[str, Rules], imitation: Imitation, size: Tiny, turns: int, folder: Path, show: Shown | None = None
) -> Path:
    """The folder of the starting policy, made if it is not there yet, or if its words are those of settings or phrases
    that have been changed since. Deterministic by `imitation.seed` where it is told its steps, not its seconds."""
    say = show or (lambda _: None)
    families = {name: each.family for name, each in rules.items()}
    codec = tongue_of(families)
    if is_made(folder):
        if _words(folder) == codec.vocabulary.words:
            return folder
        say(f"the starting policy in {folder} has other words than the families have now: it is made anew")
        (folder / REPORT).unlink()
    say(f"demonstrations of {imitation.scenarios} scenarios")
    scenarios = drawn_scenarios(families, imitation.scenarios, imitation.seed)
    shown = list(
        demonstrate(rules, codec, scenarios, LabPartner(), each=imitation.each, turns=turns, seed=imitation.seed)
    )
    policy = _tiny(codec, size, imitation.seed)
    learned = imitate(policy, shown, imitation, say)
    policy.save(folder)
    (folder / REPORT).write_text(json.dumps({**attrs.asdict(learned), **attrs.asdict(imitation)}, indent=1) + "\n")
    return folder


def _words(folder: Path) -> tuple[str, ...]:
    """The words of the policy that is kept; none where that cannot be told."""
    try:
        return load(folder).vocabulary.words
    except ConfigError:
        return ()


def imitate(policy: WeightsPolicy, shown: Sequence[Trajectory], imitation: Imitation, say: Shown) -> Learned:
    """Train on demonstrations until the steps (or seconds) are over."""
    import torch

    parameters = [each for each in policy.model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=imitation.lr, betas=(0.9, 0.98), weight_decay=0.01)
    started, nll, steps = perf_counter(), math.nan, 0
    for steps, batch in enumerate(_batches(shown, imitation.batch, imitation.seed), 1):
        spent = perf_counter() - started
        done = (steps - 1) / imitation.steps if imitation.seconds is None else spent / imitation.seconds
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = imitation.lr * min(1.0, steps / WARM) * max(FLOOR, 1 - done)
        loss, own = _loss(policy, [shown[place] for place in batch])
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        nll = own if math.isnan(nll) else 0.98 * nll + 0.02 * own
        if steps % 100 == 0:
            say(f"imitation: step {steps}, {nll:.3f} nats a token, {spent:.0f} s")
    policy.changed()
    return Learned(len(shown), steps - 1, round(perf_counter() - started, 1), round(nll, 4))


def _loss(policy: WeightsPolicy, shown: Sequence[Trajectory]) -> tuple[Tensor, float]:
    """The weighted loss, and the mean negative log-likelihood of the demonstrators' tokens."""
    import torch
    from torch.nn.functional import cross_entropy

    n = max(len(each.ids) for each in shown)
    ids = torch.zeros(len(shown), n, dtype=torch.long)
    weights = torch.zeros(len(shown), n)
    for row, each in enumerate(shown):
        length = len(each.ids)
        ids[row, :length] = torch.tensor(each.ids)
        weights[row, :length] = torch.tensor([1.0 if turn >= 0 else OTHERS for turn in each.turns])
    ids, weights = ids.to(policy.device), weights.to(policy.device)
    logits = policy.trunk.logits(policy.trunk.hidden(ids[:, :-1]))
    nll = cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none").view_as(ids[:, 1:])
    weights = weights[:, 1:]
    own = nll.detach()[weights == 1.0]
    loss: Tensor = (nll * weights).sum() / weights.sum()
    return loss, float(own.mean())


def _batches(shown: Sequence[Trajectory], size: int, seed: int) -> Iterator[list[int]]:
    """Places, for ever: each epoch in a new order, batches of like length."""
    rng = Random(f"{seed}/imitation")
    while True:
        order = rng.sample(range(len(shown)), len(shown))
        for start in range(0, len(order), BUCKET * size):
            part = sorted(order[start : start + BUCKET * size], key=lambda place: len(shown[place].ids))
            batches = [part[at : at + size] for at in range(0, len(part), size)]
            yield from rng.sample(batches, len(batches))


def _tiny(codec: Tongue, size: Tiny, seed: int) -> WeightsPolicy:
    from adidem.core.policy.tiny import Shape, tiny

    return tiny(codec, len(codec.vocabulary), Shape(**attrs.asdict(size)), seed=seed)


def _settings(family: Family, split: Any) -> Sequence[Scenario]:
    """One scenario a setting; none where the family has no settings for the split."""
    chosen: Split = split
    try:
        return family.scenarios(chosen, 0, None)
    except PlanError:
        return ()
