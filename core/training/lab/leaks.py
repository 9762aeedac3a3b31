"""Whether the right record leaks out of what everybody knows: from the public context alone it must be at chance.

The two worlds of a scenario share their public context and no right record, so that a record from the public context
alone is right in one of them at most: half at best, and what always declining or a plan at random gets is chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean

from attrs import frozen

from adidem.core.domain import SEATS, Record, RoleCard, Scenario
from adidem.core.policy.contracts import Ask, Policy, View
from adidem.core.policy.draw import GREEDY
from adidem.core.records import write_record, written
from adidem.core.rules import Rules
from adidem.core.training.reward import raw_of


@frozen
class Leak:
    """Shares of (scenario, world, seat) that are right: the policy's record from the public context alone, giving up
    always, and a random plan of the plan space (its expectation); and how many there are."""

    public_alone: float
    giving_up: float
    random_plan: float
    n: int


async def public_alone(
    policy: Policy, scenarios: Sequence[Scenario], rules: Mapping[str, Rules], turns: int
) -> tuple[Leak, list[bool]]:
    """Greedy tentative records of a policy that is shown no private condition and no conversation; the leak, and for
    each (scenario, world, seat) whether that record is right."""
    views = [
        View(rules[s.family].family, RoleCard(seat, s.public.shown(), ()), turns) for s in scenarios for seat in SEATS
    ]
    codec = policy.codec
    sampler = policy.sampler([codec.opening(view) for view in views])
    cue, ends, most = codec.cue("probe"), codec.ends("probe"), codec.most("probe")
    asks = {at: Ask(cue, ends, most, Random(at)) for at in range(len(views))}
    drawn = await sampler.sampled(asks, GREEDY)
    right: list[bool] = []
    base: list[tuple[bool, float]] = []
    for at, view in enumerate(views):
        scenario = scenarios[at // len(SEATS)]
        rule = rules[scenario.family]
        record = written(codec.record(drawn[at].ids, view), rule.family, scenario.public)
        for world in scenario.worlds:
            due = rule.right(world)
            give_up = raw_of(written(write_record(_giving_up(rule, scenario)), rule.family, scenario.public))
            right.append(rule.feasibility(world, dict.fromkeys(SEATS, raw_of(record))).passed)
            space = sum(1 for _ in rule.family.plans(world))
            base.append((rule.feasibility(world, dict.fromkeys(SEATS, give_up)).passed, len(due.plans) / max(1, space)))
    return Leak(fmean(right), fmean(b for b, _ in base), fmean(share for _, share in base), len(right)), right


def _giving_up(rules: Rules, scenario: Scenario) -> Record:
    terms, approver = rules.family.defer_terms, scenario.public.approver
    return Record("decline") if terms is None or approver is None else Record("defer", terms(approver))
