"""A suite made ready for somebody outside to play: its jobs by name, a session for each, and what an episode scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from attrs import frozen

from adidem.core.agents.chat import ChatAgent
from adidem.core.bridges.session import SPEAKER, Session
from adidem.core.domain import Episode
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.llm import Gateway
from adidem.core.outcomes import outcomes_of
from adidem.core.runs.plan import Job
from adidem.core.runs.recipe import Recipe
from adidem.core.runs.suite import Prepared

STAND_IN = "scripted:candid"
"""Whom a run is made ready with in the tested seat, until somebody outside sits there."""

REWARD = "verified_success"


@frozen(eq=False)
class Game:
    """`jobs` by name: `TASK BARRIER REPEAT`, such as `casino/test/00/a/first none 0`."""

    suite: str
    prepared: Prepared
    jobs: Mapping[str, Job]

    def session(self, name: str, more: int = 0) -> Session:
        """A session of the job of that name; `more` is added to its repeat, for further samples of the same job.

        Raises:
            UnknownName: there is no such job.
        """
        job = self._job(name)
        return Session(job.task, self.prepared.setups[job.barrier], job.repeat + more)

    def opening(self, name: str) -> list[dict[str, str]]:
        """What stands before anybody spoke: the system message of the tested seat."""
        job = self._job(name)
        family = self.prepared.selection.rules[job.task.scenario.family].family
        card = job.task.scenario.world(job.task.world).card(job.task.seat)
        system = ChatAgent(SPEAKER, _GATEWAY).join(family, (), card, Random(0)).system
        return [{"role": "system", "content": system}]

    def row(self, name: str) -> dict[str, Any]:
        """The facts of a job by which results are grouped."""
        task = self._job(name).task
        facts = {"task": task.id, "scenario": task.scenario.id, "family": task.scenario.family, "world": task.world}
        return {"job": name, **facts, "seat": task.seat, "barrier": self._job(name).barrier}

    def _job(self, name: str) -> Job:
        if name not in self.jobs:
            raise UnknownName("job", name, self.jobs)
        return self.jobs[name]


_GATEWAY = Gateway()
"""Nothing is asked of it: an agent is made with one."""


def game(
    suite: str = "hico",
    *,
    partner: str | None = None,
    judges: Sequence[str] = (),
    family: str | None = None,
    barrier: str | None = None,
    limit: int | None = None,
    registry: str | None = None,
    plugins: Sequence[str] = (),
    sets: Sequence[str] = (),
    **changes: Any,
) -> Game:
    """The game of a suite, with what `adidem run` takes as options: names of families or conditions with commas between
    them; `changes` are fields of the suite (`split`, `seed`, `turns`, `repeats`, `bank`, `data`).

    Raises:
        ConfigError: what is asked for is unknown or cannot work; a suite of self-play needs a `partner`.
    """
    said: dict[str, Any] = {
        "partner": partner,
        "families": _names(family),
        "barriers": _names(barrier),
        **changes,
    }
    recipe = Recipe(
        suite,
        STAND_IN,
        {key: value for key, value in said.items() if value is not None},
        judges=tuple(judges),
        limit=limit,
        registry=Path(registry) if registry else None,
        plugins=tuple(Path(each) for each in plugins),
        sets=tuple(sets),
    )
    prepared = recipe.prepared(recipe.setup())
    if prepared.config.partner == "self":
        raise ConfigError(f"suite {suite!r} is self-play: name the other one with partner, such as {STAND_IN}")
    jobs = {f"{job.task.id} {job.barrier} {job.repeat}": job for job in prepared.jobs}
    return Game(suite, prepared, jobs)


def _names(text: str | None) -> tuple[str, ...] | None:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else None


def scores_of(episode: Episode) -> dict[str, float | None]:
    """What an episode came to: `verified_success`, `feasibility` and `integrity` as 0 or 1, and every judge's
    `judge.dimension` of the tested seat or of the whole episode. None is unscored."""
    found = outcomes_of(episode)
    told = {
        "verified_success": found.verified_success,
        "feasibility": found.feasibility,
        "integrity": found.integrity,
    }
    scores: dict[str, float | None] = {key: None if value is None else float(value) for key, value in told.items()}
    for judgement in episode.judgements:
        for rating in judgement.ratings:
            if rating.seat in (None, episode.seat):
                scores[f"{judgement.judge}.{rating.dimension}"] = rating.score
    return scores


def reward_of(episode: Episode, name: str = REWARD) -> float | None:
    """One of the scores by its name; None is unscored.

    Raises:
        UnknownName: the episode has no such score.
    """
    scores = scores_of(episode)
    if name not in scores:
        raise UnknownName("score", name, scores)
    return scores[name]
