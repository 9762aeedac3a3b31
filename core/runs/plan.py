"""What a run plays: every task of its scenarios, under every barrier condition, as often as asked."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import overload

from attrs import evolve, frozen

from adidem.core.domain import SEATS, WORLDS, Scenario, Seat, Task
from adidem.core.errors import ConfigError
from adidem.core.runs.shelf import Shelf

MOST = 10_000_000
"""Episodes of one run. More are several runs, with other seeds or scenarios, which `adidem report` compares."""


@frozen
class Job:
    """One episode to play."""

    task: Task
    barrier: str
    repeat: int

    @property
    def key(self) -> tuple[str, str, int]:
        """What makes it unique in a run."""
        return self.task.id, self.barrier, self.repeat


@frozen(eq=False)
class Plan(Sequence[Job]):
    """Jobs in the order they are started, each made when it is asked for: every repeat of every condition of every
    task. `picked` are the places of those that are in it; None is all."""

    tasks: Sequence[Task]
    barriers: Sequence[str]
    repeats: int
    picked: Sequence[int] | None = None

    def __len__(self) -> int:
        return self._all if self.picked is None else len(self.picked)

    def __iter__(self) -> Iterator[Job]:
        return (self._job(place) for place in (range(self._all) if self.picked is None else self.picked))

    @overload
    def __getitem__(self, place: int) -> Job: ...
    @overload
    def __getitem__(self, place: slice) -> Plan: ...
    def __getitem__(self, place: int | slice) -> Job | Plan:
        places: Sequence[int] = range(self._all) if self.picked is None else self.picked
        if isinstance(place, slice):
            return evolve(self, picked=places[place])
        return self._job(places[place])

    def only(self, wanted: Callable[[Job], bool]) -> Plan:
        """The jobs for which `wanted` holds, in their order."""
        places: Sequence[int] = range(self._all) if self.picked is None else self.picked
        return evolve(self, picked=array("Q", (place for place in places if wanted(self._job(place)))))

    @property
    def _all(self) -> int:
        return len(self.tasks) * len(self.barriers) * self.repeats

    def _job(self, place: int) -> Job:
        rest, task = divmod(place, len(self.tasks))
        repeat, barrier = divmod(rest, len(self.barriers))
        return Job(self.tasks[task], self.barriers[barrier], repeat)


@frozen(eq=False)
class Tasks(Sequence[Task]):
    """Tasks of scenarios that are opened only when a task is asked for. Each of `places` is 4 × the scenario's, + 2 in
    its world b, + 1 in the second seat."""

    scenarios: Sequence[Scenario]
    places: Sequence[int]

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> Task: ...
    @overload
    def __getitem__(self, place: slice) -> Tasks: ...
    def __getitem__(self, place: int | slice) -> Task | Tasks:
        if isinstance(place, slice):
            return Tasks(self.scenarios, self.places[place])
        scenario, rest = divmod(self.places[place], 4)
        return Task(self.scenarios[scenario], WORLDS[rest // 2], SEATS[rest % 2])


def spread(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Scenarios with the families in turn, so that the first N of them are spread over all. Each family keeps its order
    but starts one scenario later than the family before it: pair kinds come round in the same order in every family,
    and the first round shall hold several kinds."""
    return [scenarios[place] for place in in_turn(scenario.family for scenario in scenarios)]


def in_turn(families: Iterable[str]) -> list[int]:
    """The order of `spread`, as places, of the scenarios of these families."""
    by_family: dict[str, list[int]] = {}
    for place, family in enumerate(families):
        by_family.setdefault(family, []).append(place)
    turned = [ours[first % len(ours) :] + ours[: first % len(ours)] for first, ours in enumerate(by_family.values())]
    return [place for row in zip_longest(*turned) for place in row if place is not None]


def plan_jobs(
    scenarios: Sequence[Scenario],
    barriers: Sequence[str],
    repeats: int,
    limit: int | None = None,
    seats: Sequence[Seat] = SEATS,
) -> Plan:
    """The jobs in the order they are started. `limit` counts tasks: scenarios come with the families in turn, and a
    scenario's tasks (world a before b, first seat before second) stay together.

    Raises:
        ConfigError: they are more than `MOST`.
    """
    kinds = scenarios.kinds if isinstance(scenarios, Shelf) else [(s.family, len(s.worlds)) for s in scenarios]
    bits = [SEATS.index(seat) for seat in seats]
    order = in_turn(family for family, _ in kinds)
    places = array("Q", (4 * at + 2 * world + bit for at in order for world in range(kinds[at][1]) for bit in bits))
    plan = Plan(Tasks(scenarios, places)[:limit], tuple(barriers), repeats)
    count = len(plan.tasks) * len(plan.barriers) * repeats  # len() holds no more than a machine word
    if count > MOST:
        raise ConfigError(
            f"{len(plan.tasks):,} tasks × {len(plan.barriers)} conditions × {repeats:,} repeats are {count:,} episodes "
            f"and a run takes {MOST:,}: lower --repeats or --limit, or make it several runs with a --seed each"
        )
    return plan
