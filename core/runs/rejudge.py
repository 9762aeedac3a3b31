"""Rates the stored episodes of a run again, without playing them: further judges, further models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import define, evolve, field, frozen

from adidem.core.domain import Episode, Scenario, Task, Usage
from adidem.core.errors import ConfigError
from adidem.core.judging import NO_ANSWER, unanswered
from adidem.core.judging.scale import NOT_ASKED
from adidem.core.play import JudgeSeat, case_of, judged
from adidem.core.rules import Rules
from adidem.core.runs.about import about_of, baselines_of
from adidem.core.runs.agents import AgentSource
from adidem.core.runs.loop import run
from adidem.core.runs.scenarios import rules_of
from adidem.core.runs.seats import seats
from adidem.core.runs.store import RunStore
from adidem.core.setup import Setup

OnRated = Callable[[Episode], None]
"""Told of each episode as soon as it is rated and stored."""


@frozen(eq=False)
class Rating:
    """A re-rating made ready: which seats judge, what they still owe, and the rules the episodes were played by."""

    seats: tuple[JudgeSeat, ...]
    owed: tuple[tuple[str, str, int], ...]
    scenarios: dict[str, Scenario]
    rules: dict[str, Rules]
    sources: AgentSource


def prepare_rating(setup: Setup, store: RunStore, specs: Sequence[str], only: Sequence[str] = ()) -> Rating:
    """Make a re-rating ready; nothing is written.

    A seat that already rated every scored episode owes nothing; one that was interrupted goes on where it stopped, and
    one that got no answer (the endpoint was down, the key was wrong) asks again.
    Labels are the run's: the first spec of a judge has its plain name, a further one is `JUDGE@SPEC`.

    Raises:
        ConfigError: a judge, a model or a family of the run is not to be had.
    """
    config = store.get("config", {})
    suite = setup.registry.suites.get(config.get("suite", ""))
    asked = tuple(only) or (suite.model_judges if suite is not None else ()) or _model_judges(setup)
    sources = AgentSource(setup)
    fresh = seats(setup, sources, (), asked, specs)
    known: dict[str, str | None] = store.get("judges", {})
    found = tuple(_relabelled(seat, known) for seat in fresh)
    scenarios = {scenario.id: scenario for scenario in store.scenarios()}
    rules = rules_of(setup, sorted({scenario.family for scenario in scenarios.values()}))
    owed = tuple(store.unrated([seat.label for seat in found], NO_ANSWER))
    return Rating(found, owed, scenarios, rules, sources)


def _model_judges(setup: Setup) -> tuple[str, ...]:
    return tuple(name for name, judge in setup.components.judges.items() if hasattr(judge, "model"))


def _relabelled(seat: JudgeSeat, known: dict[str, str | None]) -> JudgeSeat:
    """The label under which the run already knows this judge with this spec, or the next free one."""
    name = seat.judge.name
    for label, spec in known.items():
        if label.partition("@")[0] == name and spec == seat.spec:
            return evolve(seat, label=label)
    return seat if name not in known else evolve(seat, label=f"{name}@{seat.spec}")


@define
class Rated:
    """What a re-rating came to: for each episode that a judge got no answer for, why (`missing`: these are still owed);
    of what was answered, how many ratings came (`ratings`), and why those that no score could be read from have none
    (`unscored`)."""

    ratings: int = 0
    unscored: list[str] = field(factory=list)
    missing: list[str] = field(factory=list)

    def add(self, before: Episode, after: Episode, rating: Rating) -> None:
        """Count what an episode has now and had not before."""
        self.missing.extend(_unanswered(after, rating)[:1])
        labels = {seat.label for seat in rating.seats}
        for judgement in after.judgements:
            if judgement.judge in labels and judgement not in before.judgements and not unanswered(judgement):
                asked = [each for each in judgement.ratings if not (each.unscored or "").startswith(NOT_ASKED)]
                self.ratings += len(asked)
                self.unscored += [each.unscored or "no reason was given" for each in asked if each.score is None]


def rate(rating: Rating, store: RunStore, concurrency: int, on_rated: OnRated | None = None) -> Rated:
    """Rate what is owed, write each episode as it is done, and give back what came of it.

    Raises:
        ConfigError: the run's scenarios are not those its episodes name.
    """
    store.put("judges", {**store.get("judges", {}), **{seat.label: seat.spec for seat in rating.seats}})
    store.put("about", {**store.get("about", {}), **about_of(rating.rules, rating.seats)})
    store.put("baselines", sorted({*store.get("baselines", []), *baselines_of(rating.seats)}))
    waiting = iter(rating.owed)
    found = Rated()

    async def work() -> None:
        for key in waiting:
            before = store.episode(*key)
            episode = await _rated(before, rating)
            store.add(episode)
            found.add(before, episode, rating)
            if on_rated is not None:
                on_rated(episode)
            await asyncio.sleep(0)

    async def everything() -> None:
        try:
            await asyncio.gather(*(work() for _ in range(max(1, min(concurrency, len(rating.owed))))))
        finally:
            await rating.sources.close()

    run(everything())
    return found


def _unanswered(episode: Episode, rating: Rating) -> list[str]:
    """Why what these judges were asked of an episode got no answer."""
    labels = {seat.label for seat in rating.seats}
    found = [judgement for judgement in episode.judgements if judgement.judge in labels and unanswered(judgement)]
    reasons = [rated.unscored or "" for judgement in found for rated in judgement.ratings]
    return [reason for reason in reasons if reason.partition(":")[0] in NO_ANSWER]


async def _rated(episode: Episode, rating: Rating) -> Episode:
    scenario = rating.scenarios.get(episode.scenario)
    if scenario is None:
        raise ConfigError(f"the run holds no scenario {episode.scenario}: it cannot be rated again")
    done = {judgement.judge for judgement in episode.judgements if not unanswered(judgement)}
    owed = [seat for seat in rating.seats if seat.label not in done]
    kept = tuple(j for j in episode.judgements if j.judge not in {seat.label for seat in owed})
    case = case_of(
        Task(scenario, episode.world, episode.seat),
        rating.rules[episode.family],
        episode.turns,
        episode.records,
        episode.feasibility,
        dialogue=episode.dialogue,
        repeat=episode.repeat,
    )
    judgements, spent = await judged(case, owed)
    usage = {who: episode.usage.get(who, Usage()) + used for who, used in spent.items()}
    return evolve(episode, judgements=(*kept, *judgements), usage={**episode.usage, **usage})


def open_run(folder: Path, *, write: bool) -> RunStore:
    """A run that is there.

    Raises:
        ConfigError: the folder holds no run.
    """
    RunStore(folder).close()
    return RunStore(folder, write=write)
