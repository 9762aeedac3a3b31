"""From conversations as they were played to rollouts as trainers see them: reward, probes, anchors, disclosure.

    R = w_F · Feasibility + w_I · Integrity            (0.8 and 0.2, HICO-Bench)

on the record's turn. With `conduct: gate` Integrity counts only as far as conduct was good (the product of its
dimensions), so that whoever ends at once, or says the same whatever is answered, earns nothing beside Feasibility while
a plan is open; with `term` conduct is added with its own weight. A conversation whose judging failed has no reward: it
is told apart from the rest, and no number is made up for it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from attrs import evolve, field, frozen

from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Feasibility, Judgement, Probe, Rollout, Scenario, Seat, WorldName, Written
from adidem.core.outcomes import verified
from adidem.core.play.episode import case_of
from adidem.core.play.judge import JudgeSeat, judged
from adidem.core.records import written
from adidem.core.rules import Rules
from adidem.core.training.annotator import Annotator
from adidem.core.training.contracts import Job, Played
from adidem.core.training.disclosure import ANNOTATOR, Disclosed, disclosed_by_ears, may_be_told
from adidem.core.training.recipe import Reward

CONDUCT = "conduct"
REMEMBERED = 50_000
"""So many tentative records are remembered before all are forgotten."""


@frozen
class Unscored:
    """Why a conversation has no reward."""

    reason: str


@frozen(eq=False)
class _Tentative:
    """A tentative record of a scenario: `state`, its canonical form as text (of one that cannot be read, what was
    written); whether it passes as both records `within` its world and `elsewhere`, in the other one, None where it
    cannot be read."""

    scenario: Scenario
    state: str
    within: bool | None
    elsewhere: bool | None


@frozen(eq=False)
class Scorer:
    """What turns played conversations into rollouts. `judge` gives Integrity, `conduct` is the conduct judge where the
    reward asks for it, `annotator` marks disclosures where the ears should not; its agreement with them is in the
    rollout's `extra`, and so is why it could not say."""

    rules: Mapping[str, Rules]
    settings: Reward
    judge: JudgeSeat
    conduct: JudgeSeat | None = None
    raters: Sequence[JudgeSeat] = ()
    annotator: Annotator | None = None
    _probes: dict[tuple[int, str], _Tentative] = field(factory=dict, init=False)

    async def rollouts(self, played: Sequence[Played]) -> list[Rollout | Unscored]:
        """A rollout of each conversation, or why there is none, in their order."""
        return list(await asyncio.gather(*(self.rollout(each) for each in played)))

    async def rollout(self, played: Played) -> Rollout | Unscored:
        """One conversation as a trainer sees it."""
        if played.failure is not None:
            return Unscored(played.failure)
        case = self._case(played)
        seats = [self.judge, *([self.conduct] if self.conduct else []), *self.raters]
        judgements, _ = await judged(case, seats)
        integrity = share_of(judgements[0], self.judge, None)
        if integrity is None:
            return Unscored(_why(judgements[0]))
        conduct = None
        if self.conduct is not None and self.settings.conduct != "off":
            conduct = good_conduct(judgements[1], self.conduct, case.seat)
            if conduct is None:
                return Unscored(_why(judgements[1]))
        disclosed, annotated = await self._disclosed(case, played)
        made = self._made(played, case, judgements, (integrity, conduct), disclosed)
        return evolve(made, extra={**made.extra, **annotated})

    def reward(self, feasible: bool, integrity: float, conduct: float | None) -> float:
        """R; `integrity` and `conduct` are in [0, 1]."""
        ours = self.settings
        good = 1.0 if conduct is None else conduct
        found = ours.feasibility * feasible + ours.integrity * integrity * (good if ours.conduct == "gate" else 1.0)
        return found + (ours.conduct_weight * good if ours.conduct == "term" else 0.0)

    def _case(self, played: Played) -> Case:
        task = played.job.task
        rules = self.rules[task.scenario.family]
        world = task.scenario.world(task.world)
        feasibility = rules.feasibility(world, {seat: raw_of(played.records[seat]) for seat in SEATS})
        return case_of(
            task, rules, played.conversation, played.records, feasibility, dialogue=True, repeat=played.job.sample
        )

    async def _disclosed(self, case: Case, played: Played) -> tuple[Disclosed, Mapping[str, Any]]:
        """When the differing condition became available; and, of a conversation in which the annotator was asked,
        whether it failed and why, or whether it agrees with the ears: on the turn, and on whether it was said at all.
        The own card is asked of nobody, and would make the two look more alike than they are."""
        if not played.probes:
            return Disclosed(None), {}
        rules, task = self.rules[case.family.name], played.job.task
        heard = disclosed_by_ears(rules, task, played.conversation)
        if self.annotator is None:
            return heard, {}
        told = await self.annotator(rules, task, played.conversation)
        if not may_be_told(task, played.conversation):
            return told, {}
        if told.why is not None:
            return told, {"annotator_failed": 1.0, ANNOTATOR: told.why}
        alike = {"annotators_agree": told.turn == heard.turn}
        alike["annotators_agree_whether"] = (told.turn is None) == (heard.turn is None)
        return told, {"annotator_failed": 0.0, **{name: float(value) for name, value in alike.items()}}

    def _made(
        self,
        played: Played,
        case: Case,
        judgements: Sequence[Judgement],
        judged_as: tuple[float, float | None],
        disclosed: Disclosed,
    ) -> Rollout:
        integrity, conduct = judged_as
        feasibility: Feasibility | None = case.feasibility
        feasible = feasibility is not None and feasibility.passed
        counts = tokens_by_turn(played.trajectory.turns)
        reward = self.reward(feasible, integrity, conduct)
        read = [self._tentative(played.job, raw) for raw in played.probes]
        probes = tuple(
            Probe(each.within, each.elsewhere, disclosed.by(reached))
            for each, reached in zip(read, played.reached, strict=True)
        )
        task = played.job.task
        parts: dict[str, Any] = {"feasibility": float(feasible), "integrity": integrity}
        return Rollout(
            scenario=task.scenario.id,
            world=task.world,
            seat=task.seat,
            sample=played.job.sample,
            rewards=(*[0.0] * (len(counts) - 1), reward),
            probes=probes,
            anchors=anchors_of([each.state for each in read], probes) if probes or len(counts) == 1 else (),
            success=verified(feasible, integrity >= 1),
            ratings=ratings_of(judgements, task.seat),
            truncated=played.trajectory.truncated,
            tokens=counts,
            extra=parts if conduct is None else {**parts, "conduct": conduct},
        )

    # ------------------------------------------------------------------------------------------------------ probes

    def _tentative(self, job: Job, raw: Any) -> _Tentative:
        """A tentative record as it is read. What is remembered holds its scenario: the identity of one that is gone may
        be given to another, as happens where every update has fresh ones."""
        scenario = job.task.scenario
        key = (id(scenario), f"{job.task.world} {canonical(raw)}")
        if key not in self._probes:
            if len(self._probes) >= REMEMBERED:
                self._probes.clear()
            rules = self.rules[scenario.family]
            record = written(raw, rules.family, scenario.public)
            fits = (None, None) if record.outcome is None else self._both(rules, job, raw_of(record))
            self._probes[key] = _Tentative(scenario, canonical(raw_of(record)), *fits)
        return self._probes[key]

    @staticmethod
    def _both(rules: Rules, job: Job, raw: Any) -> tuple[bool, bool]:
        scenario = job.task.scenario
        there: WorldName = "b" if job.task.world == "a" else "a"
        worlds = (scenario.world(job.task.world), scenario.world(there))
        one, two = (rules.feasibility(world, dict.fromkeys(SEATS, raw)).passed for world in worlds)
        return one, two


def share_of(judgement: Judgement, judge: JudgeSeat, seat: Seat | None) -> float | None:
    """A judge's first dimension in [0, 1], for the episode or for a seat; None where it is unscored."""
    dimension = judge.judge.dimensions[0]
    score = judgement.score(dimension.name, None if dimension.scope == "episode" else seat)
    return None if score is None else (score - dimension.low) / (dimension.high - dimension.low)


def good_conduct(judgement: Judgement, judge: JudgeSeat, seat: Seat) -> float | None:
    """The product of a seat's dimensions, each in [0, 1]; None where one is unscored. Who said nothing at all has no
    substance to speak of, which is no conduct to reward."""
    found = []
    for dimension in judge.judge.dimensions:
        score = judgement.score(dimension.name, seat if dimension.scope == "seat" else None)
        if score is None and _is_silent(judgement, dimension.name, seat):
            score = dimension.low
        if score is None:
            return None
        found.append((score - dimension.low) / (dimension.high - dimension.low))
    return prod(found)


def ratings_of(judgements: Sequence[Judgement], seat: Seat) -> dict[str, float]:
    """What was rated of the tested seat and of the episode, by `judge.dimension`."""
    return {
        f"{judgement.judge}.{rating.dimension}": rating.score
        for judgement in judgements
        for rating in judgement.ratings
        if rating.score is not None and rating.seat in (None, seat)
    }


def tokens_by_turn(turns: Sequence[int]) -> tuple[int, ...]:
    """How many tokens each policy turn has, from the turn ids of a trajectory; the record's turn is always there."""
    count = max(turns, default=-1) + 1
    found = [0] * max(count, 1)
    for turn in turns:
        if turn >= 0:
            found[turn] += 1
    return tuple(found)


def anchors_of(plans: Sequence[str], probes: Sequence[Probe]) -> tuple[str, ...]:
    """The canonical state before each policy turn: the tentative plan, whether the differing condition was available,
    and the turn's index."""
    states = [f"{plan} {probe.disclosed}" for plan, probe in zip(plans, probes, strict=True)]
    return tuple(f"{turn} {state}" for turn, state in enumerate(["", *states]))


def canonical(raw: Any) -> str:
    """A raw record as one text, keys sorted."""
    return raw if isinstance(raw, str) else json.dumps(raw, sort_keys=True, default=repr)


def raw_of(record: Written) -> Any:
    """What the rules read of a stored record: its canonical form, else what was written."""
    return record.raw if record.outcome is None else {"outcome": record.outcome, "terms": record.terms}


def _is_silent(judgement: Judgement, dimension: str, seat: Seat) -> bool:
    reasons = [r.unscored or "" for r in judgement.ratings if r.dimension == dimension and r.seat == seat]
    return any("said nothing" in reason for reason in reasons)


def _why(judgement: Judgement) -> str:
    reasons = [rating.unscored for rating in judgement.ratings if rating.unscored]
    return f"{judgement.judge}: {reasons[0] if reasons else 'unscored'}"
