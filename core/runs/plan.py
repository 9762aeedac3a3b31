"""What a run plays: every task of its scenarios, under every barrier condition, as often as asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from attrs import frozen

from adidem.core.domain import SEATS, Scenario, Seat, Task, World, WorldName


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
) -> list[Job]:
    """The jobs in the order they are started. `limit` counts tasks: scenarios come with the families in turn, and a
    scenario's tasks (world a before b, first seat before second) stay together."""
    tasks = [Task(s, _name(world), seat) for s in spread(scenarios) for world in s.worlds for seat in seats]
    if limit is not None:
        tasks = tasks[:limit]
    return [Job(task, barrier, repeat) for repeat in range(repeats) for barrier in barriers for task in tasks]


def _name(world: World) -> WorldName:
    return "a" if world.name == "a" else "b"
