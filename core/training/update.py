"""The update: a few epochs of clipped (or likelihood) steps over conversations, whoever gave the credit.

    policy   −Σ min(ρ·Â, clip(ρ, 1 ± ε)·Â) / D,   ρ = exp(log π − log π_behaviour)
    critic   c · mean of ½·max((V − G)², (V_old + clip(V − V_old, ± ε_v) − G)²) over the places where a value is due
    anchor   β · Σ (exp(d) − 1 − d) / D,   d = log π_start − log π   (k3, token by token)
    imitation   −Σ w · log π / Σ w

D is the number of trained tokens of the minibatch (`token`), or makes a mean over conversations of their token means
(`sequence`), or is conversations · the most tokens one may have (`fixed`). Every sum runs over the policy's own tokens,
and so does its denominator. A minibatch is cut into micro-batches of like length, whose gradients add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import torch
from attrs import define, field, frozen
from torch import Tensor

from adidem.core.domain import Objective, TurnCredit
from adidem.core.errors import TrainingError
from adidem.core.policy.contracts import Policy
from adidem.core.training.advantages import Numbers, Targets, explained_variance, targets, value_places
from adidem.core.training.contracts import Sample
from adidem.core.training.parallel import ALONE, Processes
from adidem.core.training.recipe import Update


@frozen(eq=False)
class Batch:
    """A micro-batch, padded on the right: `ids` [B, n], `lengths` [B]; and for the tokens 1 … n-1, [B, n-1]: `mask`,
    `numbers` (advantages or weights), `old` (behaviour log-probs), `share` (1 / D of each token); `valued` (where a
    value is due), `returns`, `before` (the values as they were)."""

    ids: Tensor
    lengths: Tensor
    mask: Tensor
    numbers: Tensor
    old: Tensor
    share: Tensor
    valued: Tensor
    returns: Tensor
    before: Tensor


@define
class Tally:
    """Sums over micro-batches, from which an update's figures are made."""

    sums: dict[str, float] = field(factory=dict)
    most: dict[str, float] = field(factory=dict)

    def add(self, **numbers: float) -> None:
        """Add to the sums."""
        for name, number in numbers.items():
            self.sums[name] = self.sums.get(name, 0.0) + number

    def peak(self, **numbers: float) -> None:
        """Keep the greatest."""
        for name, number in numbers.items():
            self.most[name] = max(self.most.get(name, number), number)


class Learner:
    """A policy with its optimizer. `longest` is the most tokens that the policy may say in one conversation."""

    def __init__(
        self, policy: Policy, settings: Update, temperature: float, longest: int, processes: Processes = ALONE
    ) -> None:
        self.policy, self.settings, self.temperature, self.longest = policy, settings, temperature, longest
        self.processes = processes
        rates = {"policy": settings.lr, "value": settings.value_lr}
        groups = [{**group, "lr": rates[group["name"]]} for group in policy.groups() if group["params"]]
        self.parameters = [parameter for group in groups for parameter in group["params"]]
        self.optimizer = torch.optim.AdamW(groups, betas=settings.betas, weight_decay=settings.weight_decay)

    def learn(self, samples: Sequence[Sample], credit: TurnCredit, objective: Objective, seed: str) -> dict[str, float]:
        """One update. `seed` orders the minibatches. The figures are means over the trained tokens.

        Raises:
            TrainingError: credit that cannot be used, a number that is none, or a policy that moved too far at once;
                the weights are those before the step in question.
        """
        values, last = self._values(samples, objective) if objective.critic else (None, None)
        goals = targets(samples, credit, objective, values, last)
        imitation = objective.loss == "likelihood"
        kept = [i for i, goal in enumerate(goals) if goal.numbers[goal.mask].any() or not imitation]
        kept = [i for i in kept if goals[i].mask.any()]
        tally, before = Tally(), self._marks()
        for epoch in range(self.settings.epochs if kept else 0):
            order = Random(f"{seed}/{epoch}").sample(kept, len(kept))
            for number, places in enumerate(_cut(order, self.settings.minibatches)):
                part = [(samples[i], goals[i]) for i in places]
                self._step(part, objective, tally, epoch == 0 and number == 0)
        self.policy.changed()
        found = {**_figures(tally), "advantage": _size(goals)}
        found["changed"] = sum(one != two for one, two in zip(before, self._marks(), strict=True)) / max(len(before), 1)
        if objective.critic:
            found["explained_variance"] = explained_variance(goals)
        return found

    @torch.no_grad()
    def _marks(self) -> list[float]:
        """A sum of each of the policy's tensors, by which is seen whether it changed without a copy of it."""
        tensors = [tensor for group in self.policy.groups() if group["name"] == "policy" for tensor in group["params"]]
        exact = torch.float32 if self.policy.device.type == "mps" else torch.float64
        sums: list[float] = torch.stack([each.sum(dtype=exact) for each in tensors]).tolist() if tensors else []
        return sums

    def state(self) -> dict[str, Any]:
        """What continues training beside the policy: a copy of the optimizer's moments."""
        state: dict[str, Any] = deepcopy(self.optimizer.state_dict())
        return state

    def restore(self, state: Mapping[str, Any]) -> None:
        """The other way. The learning rates are those of the settings."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        self.optimizer.load_state_dict(dict(state))
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate

    def _step(self, part: Sequence[tuple[Sample, Targets]], objective: Objective, tally: Tally, opening: bool) -> None:
        """One optimizer step on a minibatch."""
        self.optimizer.zero_grad(set_to_none=False)
        ours = Tally()
        weigh = shares(part, objective, self.longest)
        places = sum(len(goal.places) for _, goal in part)
        ordered = sorted(range(len(part)), key=lambda i: len(part[i][0].trajectory.ids))
        cuts = [ordered[k : k + self.settings.micro] for k in range(0, len(ordered), self.settings.micro)]
        for cut in self.processes.share(cuts):
            batch = batched([part[i] for i in cut], [weigh[i] for i in cut], self.policy)
            torch.autograd.backward(self._loss(batch, objective, places, ours))
        self._all(ours, objective)
        norm = self._clipped()
        _merge(tally, ours, opening, norm)
        self._check(ours, norm)
        self.optimizer.step()

    def _loss(self, batch: Batch, objective: Objective, places: int, tally: Tally) -> Tensor:
        """This micro-batch's part of the minibatch's loss."""
        settings = self.settings
        scored = self.policy.score(
            batch.ids, batch.lengths, temperature=self.temperature, values=objective.critic, where=batch.mask
        )
        logp = scored.logp[batch.mask]
        numbers, share, old = batch.numbers[batch.mask], batch.share[batch.mask], batch.old[batch.mask]
        if objective.loss == "likelihood":
            loss = -(logp * share).sum()
        else:
            ratio = (logp - old).exp()
            worse = torch.minimum(ratio * numbers, ratio.clamp(1 - settings.clip, 1 + settings.clip) * numbers)
            loss = -(worse * share).sum()
            _count_ratios(tally, (logp - old).detach(), ratio.detach(), settings.clip)
        tally.add(policy_loss=float(loss.detach()))
        if settings.kl > 0:
            start = self.policy.reference(batch.ids, batch.lengths, temperature=self.temperature, where=batch.mask)
            apart = k3(start[batch.mask] - logp)
            loss = loss + settings.kl * (apart * share).sum()
            tally.add(kl_to_start=float(apart.detach().sum()))
        if objective.critic and scored.value is not None:
            lost = value_loss(scored.value, batch, settings.value_clip) / max(places, 1)
            loss = loss + settings.value_weight * lost
            tally.add(value_loss=float(lost.detach()))
        tally.add(tokens=float(batch.mask.sum()), entropy=float(scored.entropy[batch.mask].sum()))
        return loss

    def _all(self, tally: Tally, objective: Objective) -> None:
        """Gradients, sums and greatest of all processes, of which one may have had no part of the minibatch."""
        if self.processes.count == 1:
            return
        for parameter in self.parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        self.processes.summed([p.grad for p in self.parameters if p.grad is not None])
        names = self._counted(objective)
        sums = torch.tensor([tally.sums.get(name, 0.0) for name in names], dtype=torch.float64)
        self.processes.summed([sums])
        tally.sums = dict(zip(names, sums.tolist(), strict=True))
        if objective.loss == "clipped":
            found = self.processes.gathered([tally.most["apart"]] if "apart" in tally.most else [])
            tally.most = {"apart": max(found, default=0.0)}

    def _counted(self, objective: Objective) -> list[str]:
        """The sums that such a loss has: what is not computed is no figure, and no 0."""
        asked = {
            "moved": objective.loss == "clipped",
            "clipped": objective.loss == "clipped",
            "kl_to_start": self.settings.kl > 0,
            "value_loss": objective.critic,
        }
        return ["policy_loss", "tokens", "entropy", *(name for name, there in asked.items() if there)]

    def _clipped(self) -> float:
        """The gradient's norm before it is clipped."""
        return float(torch.nn.utils.clip_grad_norm_(self.parameters, self.settings.grad_clip))

    def _check(self, tally: Tally, norm: float) -> None:
        """Stops before a step that would spoil the policy."""
        for name in ("policy_loss", "value_loss", "kl_to_start"):
            if not np.isfinite(tally.sums.get(name, 0.0)):
                raise TrainingError(f"the {name.replace('_', ' ')} is {tally.sums[name]}: no step was taken")
        if not np.isfinite(norm):
            raise TrainingError(f"the gradient's norm is {norm}: no step was taken")
        moved = tally.sums.get("moved", 0.0) / max(tally.sums.get("tokens", 0.0), 1.0)
        if moved > self.settings.max_kl:
            raise TrainingError(
                f"the policy moved {moved:.3g} nats a token from the one that played, more than max_kl "
                f"{self.settings.max_kl:g}: it diverges; lower the learning rate {self.settings.lr:g} or add kl"
            )

    @torch.no_grad()
    def _values(self, samples: Sequence[Sample], objective: Objective) -> tuple[list[Numbers], list[float]]:
        """The critic's values at the places of the objective's level, and of where truncated conversations were cut."""
        order = sorted(range(len(samples)), key=lambda i: len(samples[i].trajectory.ids))
        cuts = [order[k : k + self.settings.micro] for k in range(0, len(order), self.settings.micro)]
        found: list[tuple[int, Numbers, float]] = []
        for cut in self.processes.share(cuts):
            found += self._values_of([(i, samples[i]) for i in cut], objective.level)
        if self.processes.count > 1:
            found = self.processes.gathered(found)
        by_place = {i: (values, last) for i, values, last in found}
        return [by_place[i][0] for i in range(len(samples))], [by_place[i][1] for i in range(len(samples))]

    def _values_of(self, cut: Sequence[tuple[int, Sample]], level: str) -> list[tuple[int, Numbers, float]]:
        """A truncated conversation gets one pad at its end, before which the value of the cut-off state stands."""
        rows = [(*s.trajectory.ids, self.policy.codec.pad) if s.rollout.truncated else s.trajectory.ids for _, s in cut]
        width = max(map(len, rows))
        places = [value_places(s.trajectory, level) for _, s in cut]
        where = np.zeros((len(cut), width - 1), dtype=np.bool_)
        for row, (spots, (_, sample), ids) in enumerate(zip(places, cut, rows, strict=True)):
            where[row, spots - 1] = True
            if sample.rollout.truncated:
                where[row, len(ids) - 2] = True
        scored = self.policy.score(
            _ids(rows, width, self.policy),
            torch.tensor([len(ids) for ids in rows], device=self.policy.device),
            temperature=self.temperature,
            values=True,
            where=torch.from_numpy(where).to(self.policy.device),
        )
        assert scored.value is not None, "values were asked for"
        values = scored.value.float().cpu().numpy().astype(np.float64)
        return [
            (i, values[row, spots - 1], float(values[row, len(ids) - 2]) if sample.rollout.truncated else 0.0)
            for row, (spots, (i, sample), ids) in enumerate(zip(places, cut, rows, strict=True))
        ]


def k3(apart: Tensor) -> Tensor:
    """exp(d) − 1 − d of d = log p − log q under samples of q: an estimate of KL(q‖p) that is never below 0."""
    return apart.exp() - 1 - apart


def value_loss(value: Tensor, batch: Batch, clip: float) -> Tensor:
    """The sum of ½·max of both squares over the places where a value is due; `clip` 0 leaves the second out."""
    now, due, before = value[batch.valued], batch.returns[batch.valued], batch.before[batch.valued]
    square = (now - due) ** 2
    if clip > 0:
        square = torch.maximum(square, (before + (now - before).clamp(-clip, clip) - due) ** 2)
    return 0.5 * square.sum()


def shares(part: Sequence[tuple[Sample, Targets]], objective: Objective, longest: int) -> list[Numbers]:
    """Of each conversation of a minibatch, what each of its tokens weighs in the loss [n]: the mask over D, or of
    imitation w / Σ w. Conversations without a token of the policy count nowhere."""
    counts = [int(goal.mask.sum()) for _, goal in part]
    if objective.loss == "likelihood":
        return _weights(part, objective, longest)
    if objective.reduce == "token":
        return [goal.mask / max(sum(counts), 1) for _, goal in part]
    real = sum(count > 0 for count in counts)
    if objective.reduce == "sequence":
        return [goal.mask / max(count * real, 1) for (_, goal), count in zip(part, counts, strict=True)]
    return [goal.mask / max(real * longest, 1) for _, goal in part]


def _weights(part: Sequence[tuple[Sample, Targets]], objective: Objective, longest: int) -> list[Numbers]:
    sums = [float(goal.numbers[goal.mask].sum()) for _, goal in part]
    real = sum(total > 0 for total in sums)
    if objective.reduce == "token":
        whole = [sum(sums)] * len(part)
    elif objective.reduce == "sequence":
        whole = [total * real for total in sums]
    else:
        whole = [float(real * longest)] * len(part)
    return [
        goal.numbers * goal.mask / total if total > 0 else goal.numbers * 0.0
        for (_, goal), total in zip(part, whole, strict=True)
    ]


def batched(part: Sequence[tuple[Sample, Targets]], weigh: Sequence[Numbers], policy: Policy) -> Batch:
    """The tensors of a micro-batch, on the policy's device."""
    rows = [sample.trajectory.ids for sample, _ in part]
    width = max(map(len, rows))

    def laid(of: Callable[[Sample, Targets, Numbers], Any], kind: Any) -> Tensor:
        found = np.zeros((len(part), width), dtype=kind)
        for row, ((sample, goal), share) in enumerate(zip(part, weigh, strict=True)):
            found[row, : len(rows[row])] = of(sample, goal, share)
        return torch.from_numpy(found[:, 1:]).to(policy.device)

    def placed(numbers: Callable[[Targets], Any], kind: Any) -> Tensor:
        found = np.zeros((len(part), width), dtype=kind)
        for row, (_, goal) in enumerate(part):
            found[row, goal.places] = numbers(goal)
        return torch.from_numpy(found[:, 1:]).to(policy.device)

    return Batch(
        ids=_ids(rows, width, policy),
        lengths=torch.tensor([len(row) for row in rows], device=policy.device),
        mask=laid(lambda _, goal, __: goal.mask, np.bool_),
        numbers=laid(lambda _, goal, __: goal.numbers, np.float32),
        old=laid(lambda sample, _, __: sample.trajectory.logps, np.float32),
        share=laid(lambda _, __, share: share, np.float32),
        valued=placed(lambda _: True, np.bool_),
        returns=placed(lambda goal: goal.returns, np.float32),
        before=placed(lambda goal: goal.values, np.float32),
    )


def _ids(rows: Sequence[Sequence[int]], width: int, policy: Policy) -> Tensor:
    found = np.full((len(rows), width), policy.codec.pad, dtype=np.int64)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return torch.from_numpy(found).to(policy.device)


def _cut(places: Sequence[int], parts: int) -> list[list[int]]:
    """As many parts of nearly the same size; none is empty."""
    ends = np.linspace(0, len(places), min(parts, len(places)) + 1).round().astype(int)
    return [list(places[a:b]) for a, b in pairwise(ends)]


def _count_ratios(tally: Tally, apart: Tensor, ratio: Tensor, clip: float) -> None:
    tally.add(moved=float(k3(apart).sum()), clipped=float(((ratio - 1).abs() > clip).sum()))
    tally.peak(apart=float(apart.abs().max()) if apart.numel() else 0.0)


def _merge(tally: Tally, ours: Tally, opening: bool, norm: float) -> None:
    if opening:
        tally.peak(first_ratio_error=ours.most.get("apart", 0.0))
    tally.add(steps=1.0, grad_norm=norm, **ours.sums)


def _size(goals: Sequence[Targets]) -> float:
    """The mean size of the advantages (or weights) over the policy's own tokens."""
    numbers = [np.abs(goal.numbers[goal.mask]) for goal in goals]
    flat = np.concatenate(numbers) if numbers else np.zeros(0)
    return float(flat.mean()) if flat.size else 0.0


def _figures(tally: Tally) -> dict[str, float]:
    """Means over tokens and over steps."""
    sums, tokens, steps = tally.sums, tally.sums.get("tokens", 0.0), tally.sums.get("steps", 0.0)
    found = {name: sums[key] / tokens for name, key in _PER_TOKEN.items() if key in sums and tokens > 0}
    found |= {name: sums[name] / steps for name in ("policy_loss", "value_loss", "grad_norm") if name in sums and steps}
    return {**found, **tally.most, "steps": steps}


_PER_TOKEN = {"entropy": "entropy", "kl": "moved", "clip_fraction": "clipped", "kl_to_start": "kl_to_start"}
