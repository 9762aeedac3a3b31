"""One task played: conversation, records, rules, judges; scored, or failed with a typed cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from time import perf_counter
from typing import Any

from attrs import evolve, field, frozen

from adidem.core.contracts import Agent, Barrier, Case, Participant
from adidem.core.domain import (
    SEATS,
    AgentNames,
    Cause,
    Conversation,
    Episode,
    Feasibility,
    Seat,
    Task,
    Turn,
    Written,
    other,
)
from adidem.core.errors import ModelFailure
from adidem.core.llm.waiting import stopwatch
from adidem.core.play.barrier import barrier_facts, through
from adidem.core.play.converse import Filter, Watch, converse
from adidem.core.play.detect import watching
from adidem.core.play.judge import JudgeSeat, judged
from adidem.core.play.records import take_records
from adidem.core.rules import Rules


@frozen(unsafe_hash=False)
class Setup:
    """All that a task is played with. `barrier` holds (component, severity) pairs, laid one over the other; it
    sits on the partner unless `barrier_on` is `agent`. `limit` counts the turns of both. `detect` holds the barriers
    (names, each with a few words) among which the other is asked, off the record, which one is at work."""

    agent: Agent
    partner: Agent
    rules: Mapping[str, Rules]
    judges: Sequence[JudgeSeat] = ()
    limit: int = 12
    dialogue: bool = True
    seed: int = 0
    barrier_name: str = "none"
    barrier: tuple[tuple[Barrier, float], ...] = ()
    barrier_on: str = "partner"
    detect: Mapping[str, str] = field(factory=dict)


async def play(task: Task, setup: Setup, repeat: int = 0) -> Episode:
    """Play one task once. Whatever an agent, a judge or a plugin does, an episode comes back: scored, or failed with
    its cause and what was said until then. Only cancellation passes through."""
    opener = opener_of(task, setup, repeat)
    history: list[Turn] = []
    detected: list[dict[str, Any]] = []
    participants: dict[Seat, Participant] = {}
    blank = Episode(
        task=task.id,
        scenario=task.scenario.id,
        family=task.scenario.family,
        split=task.scenario.split,
        world=task.world,
        seat=task.seat,
        repeat=repeat,
        barrier=setup.barrier_name,
        agents=AgentNames(setup.agent.name, setup.partner.name),
        status="failed",
        opener=opener,
        dialogue=setup.dialogue,
    )
    started = perf_counter()
    try:
        participants.update(_seated(task, setup, repeat))
        watch = watching(participants, other(_barrier_seat(task, setup)), setup.detect, detected)
        episode = await _played(task, setup, participants, opener, history, blank, watch)
    except ModelFailure as failure:
        cause = Cause(failure.kind, str(failure), failure.attempts, _where(history))
        episode = evolve(blank, cause=cause)
    except (Exception, SystemExit) as error:  # noqa: BLE001  a plugin's fault is this episode's typed cause, never the batch's end
        cause = Cause("internal_error", f"{type(error).__name__}: {error}", 1, _where(history))
        episode = evolve(blank, cause=cause)
    seats = {"agent": task.seat, "partner": other(task.seat)}
    usage = {who: participants[seat].usage() for who, seat in seats.items() if seat in participants}
    return evolve(
        episode,
        turns=tuple(history),
        usage={**usage, **episode.usage},
        seconds={**episode.seconds, "total": perf_counter() - started},
        extra={**episode.extra, **({"detection": detected} if detected else {})},
    )


def opener_of(task: Task, setup: Setup, repeat: int) -> Seat:
    """Who speaks first: whom the family names, else drawn, the same in both worlds."""
    named: Seat | None = getattr(setup.rules[task.scenario.family].family, "opener", None)
    if named is not None:
        return named
    return Random(f"{setup.seed}/{task.scenario.id}/{repeat}/opener").choice(SEATS)


def _seated(task: Task, setup: Setup, repeat: int) -> dict[Seat, Participant]:
    world = task.scenario.world(task.world)
    rules = setup.rules[task.scenario.family]
    agents = {task.seat: setup.agent, other(task.seat): setup.partner}
    return {
        seat: agents[seat].join(
            rules.family, rules.checkers, world.card(seat), Random(f"{setup.seed}/{task.id}/{repeat}/{seat}")
        )
        for seat in SEATS
    }


async def _played(
    task: Task,
    setup: Setup,
    participants: Mapping[Seat, Participant],
    opener: Seat,
    history: list[Turn],
    blank: Episode,
    watch: Watch | None = None,
) -> Episode:
    rules = setup.rules[task.scenario.family]
    world = task.scenario.world(task.world)
    ended = "no dialogue"
    with stopwatch() as dialogue:
        if setup.dialogue:
            barrier = _barrier(task, setup, blank.repeat, history)
            ended = await converse(participants, opener, setup.limit, history, barrier, watch)
    records: dict[Seat, Written] = {}
    feasibility: Feasibility | None = None
    with stopwatch() as recording:
        if rules.family.terms is not None:
            records = await take_records(participants, tuple(history), rules.family, world.public)
            feasibility = rules.feasibility(world, {seat: _json(records[seat]) for seat in SEATS})
    case = case_of(task, rules, tuple(history), records, feasibility, dialogue=setup.dialogue, repeat=blank.repeat)
    extra = {}
    if setup.barrier and setup.dialogue:
        extra["barrier"] = barrier_facts(setup.barrier, _barrier_seat(task, setup), history)
    with stopwatch() as judging:
        judgements, spent = await judged(case, setup.judges)
    parts = {"dialogue": dialogue, "records": recording, "verdicts": judging}
    return evolve(
        blank,
        status="scored",
        ended=ended,
        records=records,
        due=rules.right(world).outcome if feasibility is not None else None,
        feasibility=feasibility,
        judgements=judgements,
        usage=spent,
        extra=extra,
        seconds={
            **{name: part.took for name, part in parts.items()},
            "waiting": sum(part.waited for part in parts.values()),
        },
    )


def case_of(
    task: Task,
    rules: Rules,
    conversation: Conversation,
    records: Mapping[Seat, Written],
    feasibility: Feasibility | None,
    *,
    dialogue: bool,
    repeat: int = 0,
) -> Case:
    """A finished episode as judges see it."""
    return Case(
        scenario=task.scenario,
        world=task.scenario.world(task.world),
        seat=task.seat,
        family=rules.family,
        checkers=rules.checkers,
        conversation=conversation,
        records=records,
        feasibility=feasibility,
        dialogue=dialogue,
        repeat=repeat,
    )


def _json(record: Any) -> Any:
    """What the rules read: the canonical form of a readable record, else what was written."""
    if record.outcome is None:
        return record.raw
    return {"outcome": record.outcome, "terms": record.terms}


def _barrier_seat(task: Task, setup: Setup) -> Seat:
    return task.seat if setup.barrier_on == "agent" else other(task.seat)


def _barrier(task: Task, setup: Setup, repeat: int, history: Sequence[Turn]) -> Filter | None:
    """What changes the turns of the seat that the barrier sits on, where that speaker is scripted. A model speaker
    is told the directive instead and its words are left alone."""
    if not setup.barrier or not (setup.agent if setup.barrier_on == "agent" else setup.partner).scripted:
        return None
    rng = Random(f"{setup.seed}/{task.id}/{repeat}/barrier")
    return through(setup.barrier, _barrier_seat(task, setup), rng, history)


def _where(history: Sequence[Turn]) -> str:
    return f"after turn {len(history)}"
