"""A run made ready and played: everything is checked before anything is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from time import perf_counter
from typing import Any

import attrs
from attrs import evolve, frozen

import adidem
from adidem.core.contracts import Agent
from adidem.core.domain import SEATS, Seat, Usage
from adidem.core.errors import ConfigError, StoreError
from adidem.core.play import JudgeSeat
from adidem.core.play import Setup as PlaySetup
from adidem.core.registry import Suite
from adidem.core.registry.config import parse_condition
from adidem.core.registry.structure import options_of
from adidem.core.runs.about import about_of, baselines_of
from adidem.core.runs.agents import AgentSource, directed, directives
from adidem.core.runs.config import CONFIG, RunConfig, changed_keys, noted, write_config
from adidem.core.runs.execute import Key, OnEpisode, Progress, episodes_at_once, execute
from adidem.core.runs.executors import Executor, LocalExecutor
from adidem.core.runs.finding import no_run
from adidem.core.runs.limits import NO_LIMITS, Limits, stopper
from adidem.core.runs.loop import run
from adidem.core.runs.plan import Job, Plan, plan_jobs
from adidem.core.runs.repair import described, repaired
from adidem.core.runs.scenarios import Selection, select
from adidem.core.runs.seats import seats
from adidem.core.runs.store import FILE, LOCK, RunStore
from adidem.core.setup import Setup

WORDS = "words"
"""What the store calls that which a person asked for."""


@frozen(eq=False)
class Prepared:
    """A run that may start: what is played, by whom, under which rules, and what it is called."""

    config: RunConfig
    selection: Selection
    jobs: Plan
    setups: dict[str, PlaySetup]
    agents: tuple[Agent, ...]
    sources: AgentSource

    @property
    def facts(self) -> dict[str, Any]:
        """What a report needs besides the episodes: whether a model or a person speaks, what each judge asks, and what
        families and ratings are about."""
        base = self.setups["none"]
        return {
            "speaks": any(not agent.scripted for agent in self.agents),
            "judges": {seat.label: seat.spec for seat in base.judges},
            "about": about_of(base.rules, base.judges),
            "baselines": baselines_of(base.judges),
        }


def prepare(
    setup: Setup,
    name: str,
    suite: Suite,
    agent: str,
    *,
    judge_specs: Sequence[str] = (),
    limit: int | None = None,
    barrier_on: str = "partner",
    repair: str | None = None,
    detect: bool = False,
    selection: Selection | None = None,
    share: int = 1,
    called: bool = True,
) -> Prepared:
    """Make a run ready. Models are looked up and their keys checked, scenarios certified; nothing is written.

    `selection` is what is played where that is known already; `share` says that it is one of so many processes that
    call the same endpoints. What is only estimated, and no model `called`, needs no keys.

    `repair` gives the one whom no barrier sits on an instruction, in the conditions with a barrier alone, so that
    `none` stays the same baseline with and without it; `detect` asks it after each turn which barrier is at work.

    Raises:
        ConfigError: anything that is asked for is unknown, switched off, out of range or cannot work.
    """
    selection = select(setup, suite) if selection is None else selection
    sources = AgentSource(setup, suite.concurrency, share, called=called)
    tested = sources.agent(agent, "agent")
    partner = tested if suite.partner == "self" else sources.agent(suite.partner, "partner")
    conditions = ("none", *(c for c in suite.barriers if c != "none"))
    tested_seats: tuple[Seat, ...] = SEATS if suite.seats == "both" else (suite.seats,)
    jobs = plan_jobs(selection.scenarios, conditions, suite.repeats, limit, tested_seats)
    base = PlaySetup(
        agent=tested,
        partner=partner,
        rules=selection.rules,
        judges=seats(setup, sources, suite.judges, suite.model_judges, judge_specs),
        limit=suite.turns,
        dialogue=suite.dialogue,
        seed=suite.seed,
        barrier_on=barrier_on,
        detect=described(setup.components.barriers) if detect else {},
    )
    setups = {"none": base}
    for condition in conditions[1:]:
        parts = tuple((setup.components.get("barrier", b), severity) for b, severity in parse_condition(condition))
        told = directives(parts)
        on_agent = barrier_on == "agent"
        setups[condition] = evolve(
            base,
            agent=directed(tested, told) if on_agent else repaired(tested, repair),
            partner=repaired(partner, repair) if on_agent else directed(partner, told),
            barrier_name=condition,
            barrier=parts,
        )
    config = RunConfig(
        suite=name,
        agent=tested.name,
        partner="self" if suite.partner == "self" else partner.name,
        families=suite.families,
        split=suite.split,
        seed=suite.seed,
        repeats=suite.repeats,
        turns=suite.turns,
        dialogue=suite.dialogue,
        seats=suite.seats,
        data=suite.data,
        judges=tuple(seat.label for seat in base.judges),
        barriers=conditions,
        barrier_on=barrier_on,
        repair=repair,
        detect=detect,
        limit=limit,
        tags=suite.tags,
        bank=suite.bank,
        scenarios=selection.digest,
        concurrency=suite.concurrency,
        components=_components(setup, suite, selection, base.judges, setups.values()),
        models=sources.settings,
        version=adidem.__version__,
    )
    return Prepared(config, selection, jobs, setups, (tested, partner), sources)


def _components(
    setup: Setup, suite: Suite, selection: Selection, judges: Iterable[JudgeSeat], played: Iterable[PlaySetup]
) -> dict[str, Any]:
    """The options of every component that decides what is played or how it is judged."""
    components = setup.components
    used: list[tuple[str, Any]] = [("family", components.families[f]) for f in suite.families]
    used += [("checker", c) for rules in selection.rules.values() for c in rules.checkers]
    used += [("judge", seat.judge) for seat in judges]
    used += [("barrier", barrier) for one in played for barrier, _ in one.barrier]
    return {f"{kind}.{thing.name}": options_in_use(thing) for kind, thing in used}


def options_in_use(thing: Any) -> dict[str, Any]:
    """The options of a component with their values, as a configuration holds them."""
    if not attrs.has(type(thing)):
        return {}
    values = {name: getattr(thing, option.name, None) for name, option in options_of(type(thing)).items()}
    return {name: list(v) if isinstance(v, tuple | frozenset | set) else v for name, v in values.items()}


def open_store(
    prepared: Prepared,
    folder: Path,
    *,
    resume: bool,
    only_failed: bool = False,
    accepted: Collection[str] = (),
    words: Mapping[str, Any] | None = None,
) -> tuple[RunStore, Sequence[Job]]:
    """The run's store and the jobs it still owes; with `only_failed` those of them that were played and failed.
    `accepted` are keys of the configuration that may differ; `words` is what a person asked for, kept with a new run.

    Raises:
        ConfigError: the folder exists (and this is no resumption), holds no run, or holds one that was configured
            otherwise; the changed keys are named.
        StoreError: a run cannot be begun there; a folder that was made for it is gone again.
    """
    left = {each.name for each in folder.iterdir()} if folder.is_dir() else None
    if not resume and folder.exists() and left != {LOCK}:  # with the lock alone it was killed before it began
        raise ConfigError(f"{folder} exists: give --resume to go on with that run, or another --out")
    if resume and not (left is not None and (FILE in left or left <= {LOCK})):
        anew = "; leave --resume out to start one there" if left is None else ""
        raise ConfigError(f"no run to resume: {no_run(folder)}{anew}")
    try:
        store = RunStore(folder, write=True, again=f"go on with --out {quote(str(folder))} --resume")
    except (ConfigError, StoreError) as error:
        if left is None and isinstance(error.__cause__, sqlite3.Error):  # not where another process has the lock
            _discard(folder)
        if left is None and isinstance(error, StoreError):
            raise StoreError(f"{folder}: no run can be begun there: {error.__cause__ or error}") from error
        raise
    try:
        _begin(prepared, store, accepted, words)
        return store, _owed(prepared, store, only_failed=only_failed)
    except BaseException as error:
        if left is None:
            _discard(folder)
        store.close()
        if left is None and isinstance(error, StoreError | OSError):
            raise StoreError(f"{folder}: no run can be begun there: {error.__cause__ or error}") from error
        raise


def _discard(folder: Path) -> None:
    """Remove a folder that was made for a run which could not be begun; the store in it is still locked."""
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal", CONFIG, LOCK):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _begin(prepared: Prepared, store: RunStore, accepted: Collection[str], words: Mapping[str, Any] | None) -> None:
    """Write what the run is, or see that it is the one that was begun."""
    config, before = prepared.config.to_json(), store.get("config")
    if before is None:
        for key, value in prepared.facts.items():
            store.put(key, value)
        store.put(WORDS, words)
        write_config(prepared.config, store.folder)
        store.begin(config, prepared.selection.scenarios, len(prepared.jobs))  # last: what is resumed is whole
        return
    changed = set(changed_keys(before, config)) - set(accepted)
    if changed:
        raise ConfigError(
            f"{store.folder} was started with another configuration: {', '.join(sorted(changed))} changed"
        )
    parts = store.get("parts", [])
    now = noted(before, config)
    if now != (parts[-1] if parts else {}):
        store.put("parts", [*parts, now])  # a model's server that moved, another price, …: nothing that was asked


def owed(prepared: Prepared, folder: Path, *, only_failed: bool = False) -> Sequence[Job]:
    """The jobs that the run in a folder still owes; all, where there is none. Nothing is written."""
    if not (folder / FILE).is_file():
        return prepared.jobs
    with RunStore(folder) as store:
        return _owed(prepared, store, only_failed=only_failed)


def _owed(prepared: Prepared, store: RunStore, *, only_failed: bool) -> Plan:
    scored, failed = store.scored(), store.failed()
    if not scored and not only_failed:
        return prepared.jobs
    return prepared.jobs.only(lambda job: job.key not in scored and (not only_failed or job.key in failed))


def run_jobs(
    prepared: Prepared,
    store: RunStore,
    jobs: Sequence[Job],
    on_episode: OnEpisode | None = None,
    limits: Limits = NO_LIMITS,
    executor: Executor | None = None,
) -> Progress:
    """Have the owed jobs played, in this process or by another executor, as far as the limits allow, and let go of
    every agent afterwards; times add up over the parts of a run.

    Raises:
        StoreError: an episode cannot be written.
        ExecutorError: nobody is left who could play.
    """
    place = executor or LocalExecutor(prepared.setups, episodes_at_once(prepared.config.concurrency))
    limit = stopper(limits, prepared.sources.gateway)
    earlier = _earlier(store)

    async def go() -> Progress:
        try:
            async with place.playing() as play:
                return await execute(jobs, play, store, place.at_once, on_episode, limit, earlier)
        finally:
            await prepared.sources.close()

    started = perf_counter()
    progress = run(go())
    times = store.get("seconds", {})
    times["wall"] = times.get("wall", 0.0) + perf_counter() - started
    for name in ("dialogue", "records", "verdicts", "waiting"):
        times[name] = store.seconds(name)
    store.put("seconds", times)
    return progress


def _earlier(store: RunStore) -> dict[Key, Mapping[str, Usage]]:
    """What the failed episodes used: their next try takes their place in the store, and what they cost stays."""
    return {key: store.episode(*key).usage for key in sorted(store.failed())}
