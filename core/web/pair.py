"""The episode page's matter: both worlds of a scenario side by side, their turns aligned by index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.domain import WORLDS, Condition, Episode, Scenario, Turn, WorldName
from adidem.core.rules import Rules
from adidem.core.runs.store import RunStore
from adidem.core.web.marks import Mark, Told, hits, told
from adidem.core.web.probes import Chart, ProbeAt, chart
from adidem.core.web.side import Side, barrier_seat, side

MOST_KIN = 40


@frozen(unsafe_hash=False)
class Cell:
    """One turn in its column. `disclosed` is `whole`, `part` or ""; `said` the listener's guess at the barrier."""

    number: int
    name: str
    tested: bool
    barrier: bool
    turn: Turn
    told: Told
    meant: Told | None
    reasoning: Told | None
    disclosed: str
    guess: str
    probe: ProbeAt | None


@frozen(unsafe_hash=False)
class TurnRow:
    """The turns of one index in both worlds (None: there was none). `parts`: the first in which they differ."""

    index: int
    cells: Mapping[WorldName, Cell | None]
    parts: bool


@frozen(unsafe_hash=False)
class Kin:
    """An episode of the same scenario: its short facts, and in what it is not the one that is shown."""

    row: Mapping[str, Any]
    differs: str


@frozen(unsafe_hash=False)
class Pair:
    """All that the page shows of an episode and of the one in the other world."""

    episode: Episode
    scenario: Scenario
    sides: tuple[Side, ...]
    differing: tuple[Condition, Condition] | None
    rows: tuple[TurnRow, ...]
    chart: Chart | None
    kin: tuple[Kin, ...]

    @property
    def here(self) -> Side:
        """The side of the episode that was asked for."""
        return next(found for found in self.sides if found.here)


def pair(
    store: RunStore, task: str, barrier: str, repeat: int, rules: Mapping[str, Rules], terms: Sequence[str] = ()
) -> Pair | None:
    """The pair of an episode; None where the run does not hold its scenario. The other one is of the same role,
    condition and repeat in the other world.

    Raises:
        KeyError: the run has no such episode.
        ConfigError: the store is damaged.
    """
    episode = store.episode(task, barrier, repeat)
    scenario = store.scenario(episode.scenario)
    if scenario is None:
        return None
    worlds = WORLDS[: len(scenario.worlds)]
    found = {world: episode if world == episode.world else _there(store, episode, world) for world in worlds}
    family = rules.get(scenario.family)
    sides = tuple(side(scenario, w, found[w], family, here=w == episode.world) for w in worlds)
    return Pair(
        episode,
        scenario,
        sides,
        scenario.differing[0] if scenario.differing else None,
        tuple(_rows(sides, terms)),
        chart({s.world: s.probes for s in sides}),
        tuple(_kin(store, episode)),
    )


def _there(store: RunStore, episode: Episode, world: WorldName) -> Episode | None:
    try:
        return store.episode(f"{episode.scenario}/{world}/{episode.seat}", episode.barrier, episode.repeat)
    except KeyError:
        return None


def _rows(sides: Sequence[Side], terms: Sequence[str]) -> list[TurnRow]:
    turns = {s.world: s.episode.turns for s in sides if s.episode is not None}
    length = max((len(said) for said in turns.values()), default=0)
    parted = False
    rows = []
    for index in range(length):
        cells = {s.world: _cell(s, index, terms) for s in sides}
        said = [(cell.turn.seat, cell.turn.action, cell.turn.text) if cell else None for cell in cells.values()]
        differ = len(turns) > 1 and len(set(said)) > 1
        rows.append(TurnRow(index, cells, differ and not parted))
        parted = parted or differ
    return rows


def _cell(column: Side, index: int, terms: Sequence[str]) -> Cell | None:
    episode = column.episode
    if episode is None or index >= len(episode.turns):
        return None
    turn = episode.turns[index]
    marks: list[Mark] = [
        *column.evidence.marks.get(index, ()),
        *column.disclosure.marks.get(index, ()),
        *hits(turn.text, terms),
    ]
    meant = turn.meant if turn.meant is not None and turn.meant != turn.text else None
    return Cell(
        index + 1,
        column.names[turn.seat],
        turn.seat == episode.seat,
        turn.seat == barrier_seat(episode),
        turn,
        told(turn.text, marks),
        None if meant is None else told(meant),
        None if turn.reasoning is None else told(turn.reasoning, hits(turn.reasoning, terms)),
        column.disclosure.at(index),
        column.guesses.get(index, ""),
        next((probe for probe in column.probes if probe.turn == index), None),
    )


def _kin(store: RunStore, episode: Episode) -> list[Kin]:
    """The other episodes that one may want to see beside this one: the other role, other conditions, other repeats, in
    the same world. `MOST_KIN` at most."""
    found: list[Kin] = []
    for row in store.kin(episode.scenario):
        if row["world"] != episode.world or (row["task"], row["barrier"], row["repeat"]) == episode.key:
            continue
        own = {"seat": episode.seat, "barrier": episode.barrier, "repeat": episode.repeat}
        differs = [name for name, value in own.items() if row[name] != value]
        if len(differs) == 1:
            found.append(Kin(row, differs[0]))
    return found[:MOST_KIN]


def whole_text(episode: Episode, part: str, index: int) -> str | None:
    """The `text`, `meant` or `reasoning` of a turn in full, where a page holds only its beginning; None: no such."""
    if part not in ("text", "meant", "reasoning") or not 0 <= index < len(episode.turns):
        return None
    said: str | None = getattr(episode.turns[index], part)
    return said
