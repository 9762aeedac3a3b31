"""A suite made ready for somebody outside to play: its jobs by name, a session for each, and what an episode scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, get_origin, get_type_hints

from attrs import fields_dict, frozen

from adidem.core.agents.chat import ChatAgent
from adidem.core.bridges.session import SPEAKER, Session
from adidem.core.domain import Episode
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.export.scores import HEADLINES, scores_of
from adidem.core.llm import Gateway
from adidem.core.registry.config import Suite
from adidem.core.runs.plan import Job
from adidem.core.runs.recipe import Recipe
from adidem.core.runs.suite import Prepared

STAND_IN = "scripted:candid"
"""Whom a run is made ready with in the tested seat, until somebody outside sits there."""

REWARD = "verified_success"
ASIDE = ("integrity_rules", "integrity", "conduct")
"""Judges whose ratings are in the headlines, or beside them."""

Names = str | Sequence[str]
"""One name, several with commas between them, or a list of them: other tools make of commas a list."""


@frozen(eq=False)
class Game:
    """`jobs` by name: `TASK BARRIER REPEAT`, such as `casino/test/00/a/first none 0`."""

    suite: str
    prepared: Prepared
    jobs: Mapping[str, Job]

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of all that an episode can score."""
        judges = self.prepared.setups["none"].judges
        return (*HEADLINES, *(f"{seat.label}.{each.name}" for seat in judges for each in seat.judge.dimensions))

    @property
    def shown(self) -> tuple[str, ...]:
        """The scores that say how it went: the headlines of paired worlds; else those of them that can be scored, and
        what the suite's own judges rate."""
        rules = self.prepared.selection.rules.values()
        seats = self.prepared.setups["none"].judges
        if all(each.family.terms is not None and getattr(each.family, "paired", True) for each in rules):
            return HEADLINES
        judged = any(seat.judge.name in ASIDE[:2] for seat in seats)
        recorded = any(each.family.terms is not None for each in rules)
        heads = HEADLINES if judged and recorded else HEADLINES[1:2] if recorded else ()
        own = [
            f"{seat.label}.{each.name}"
            for seat in seats
            if seat.judge.name not in ASIDE
            for each in seat.judge.dimensions
            if not each.baseline
        ]
        return (*heads, *own) or HEADLINES

    def must_score(self, *names: str) -> None:
        """Raises UnknownName for a score that no episode of this game can have."""
        for name in names:
            if name not in self.scores:
                raise UnknownName("score", name, self.scores)

    def session(self, name: str, more: int = 0) -> Session:
        """A session of the job of that name; `more` is added to its repeat, for further samples of the same job.

        Raises:
            UnknownName: there is no such job.
        """
        job = self._job(name)
        return Session(job.task, self.prepared.setups[job.barrier], job.repeat + more)

    def opening(self, name: str) -> list[dict[str, str]]:
        """What stands before anybody spoke: the system message of the tested seat, its tools among it."""
        job = self._job(name)
        family = self.prepared.selection.rules[job.task.scenario.family].family
        card = job.task.scenario.world(job.task.world).card(job.task.seat)
        system, *_ = ChatAgent(SPEAKER, _GATEWAY).join(family, (), card, Random(0)).messages(())
        return [dict(system)]

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
    judges: Names = (),
    family: Names | None = None,
    barrier: Names | None = None,
    limit: int | None = None,
    registry: str | None = None,
    plugins: Names = (),
    sets: Names = (),
    **changes: Any,
) -> Game:
    """The game of a suite, with what `adidem run` takes as options; `changes` are fields of the suite (`split`, `seed`,
    `turns`, `repeats`, `bank`, `data`). A setting of `sets` may hold commas: give several as a list.

    Raises:
        ConfigError: what is asked for is unknown or cannot work; a suite of self-play needs a `partner`.
    """
    said: dict[str, Any] = {
        "partner": partner,
        "families": _names(family),
        "barriers": _names(barrier),
        **{name: _field(name, value) for name, value in changes.items() if value is not None},
    }
    _must_count(limit)
    recipe = Recipe(
        suite,
        STAND_IN,
        {key: value for key, value in said.items() if value is not None},
        judges=_names(judges) or (),
        limit=limit,
        registry=Path(registry) if registry else None,
        plugins=tuple(Path(each) for each in _names(plugins) or ()),
        sets=(sets,) if isinstance(sets, str) else tuple(sets),
    )
    prepared = recipe.prepared(recipe.setup())
    if prepared.config.partner == "self":
        raise ConfigError(f"suite {suite!r} is self-play: name the other one with partner, such as {STAND_IN}")
    jobs = {f"{job.task.id} {job.barrier} {job.repeat}": job for job in prepared.jobs}
    return Game(suite, prepared, jobs)


def _names(said: Names | None) -> tuple[str, ...] | None:
    parts = said.split(",") if isinstance(said, str) else said or ()
    return tuple(part.strip() for part in parts if part.strip()) or None


def _must_count(limit: Any) -> None:
    """Raises ConfigError for a limit that is no whole number from 1 up."""
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise ConfigError(f"limit is a whole number from 1 up, not {limit!r}")


def _field(name: str, value: Any) -> Any:
    """A field of the suite as its type has it.

    Raises:
        ConfigError: there is no such option, or it is none of its values.
    """
    from cattrs import structure

    if name not in fields_dict(Suite):
        raise UnknownName("option", name, (*fields_dict(Suite), *OPTIONS))
    kind: Any = get_type_hints(Suite)[name]
    if get_origin(kind) is tuple:
        return _names(value)
    try:
        return structure(value, kind)
    except Exception as error:  # cattrs raises what its types raise
        raise ConfigError(f"{name}: {value!r} is none of its values") from error


OPTIONS = ("partner", "judges", "family", "barrier", "limit", "registry", "plugins", "sets")


def reward_of(episode: Episode, name: str = REWARD) -> float | None:
    """One of the scores by its name; None is unscored.

    Raises:
        UnknownName: the episode has no such score.
    """
    scores = scores_of(episode)
    if name not in scores:
        raise UnknownName("score", name, scores)
    return scores[name]
