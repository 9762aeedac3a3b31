"""What a run plays: every task of its scenarios, under every barrier condition, as often as asked."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import overload

from attrs import evolve, frozen

from adidem.core.domain import SEATS, Scenario, Seat, Task, World, WorldName
from adidem.core.errors import ConfigError

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


def spread(scenarios: Iterable[Scenario]) -> list[Scenario]:
    """Scenarios with the families in turn, so that the first N of them are spread over all. Each family keeps its order
    but starts one scenario later than the family before it: pair kinds come round in the same order in every family,
    and the first round shall hold several kinds."""
    by_family: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        by_family.setdefault(scenario.family, []).append(scenario)
    turned = [ours[place % len(ours) :] + ours[: place % len(ours)] for place, ours in enumerate(by_family.values())]
    return [s for row in zip_longest(*turned) for s in row if s is not None]


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
    tasks = [Task(s, _name(world), seat) for s in spread(scenarios) for world in s.worlds for seat in seats]
    plan = Plan(tasks if limit is None else tasks[:limit], tuple(barriers), repeats)
    count = len(plan.tasks) * len(plan.barriers) * repeats  # len() holds no more than a machine word
    if count > MOST:
        raise ConfigError(
            f"{len(plan.tasks):,} tasks × {len(plan.barriers)} conditions × {repeats:,} repeats are {count:,} episodes "
            f"and a run takes {MOST:,}: lower --repeats or --limit, or make it several runs with a --seed each"
        )
    return plan


def _name(world: World) -> WorldName:
    return "a" if world.name == "a" else "b"
