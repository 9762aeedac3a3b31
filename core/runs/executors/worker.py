"""One process of a Ray cluster that plays episodes. It writes nothing: what it played goes back to the driver."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

import cattrs
from attrs import evolve

import adidem
from adidem.core.domain import Episode, Scenario, Seat, Task, WorldName
from adidem.core.errors import AdidemError
from adidem.core.play import play
from adidem.core.runs.config import changed_keys
from adidem.core.runs.recipe import Recipe
from adidem.core.runs.scenarios import Selection, rules_of
from adidem.core.runs.store_packing import mended, packed, unstorable
from adidem.core.runs.suite import Prepared

Part = tuple[str, WorldName, Seat, str, int]
"""A job by plain values: scenario, world, seat, barrier condition, repeat."""

Played = tuple[bytes, int, float]
"""An episode as the store packs it, and the tokens and US dollars that the worker has used since its last answer."""


class Worker:
    """Made by Ray as an actor, asked by the driver alone. All its methods run in one event loop."""

    def __init__(self) -> None:
        self._prepared: Prepared | None = None
        self._places: dict[str, int] = {}
        self._told = (0, 0.0)

    async def start(
        self,
        recipe: Recipe,
        scenarios: Sequence[Awaitable[Sequence[Scenario]]],
        config: Mapping[str, Any],
        concurrency: int,
        share: int,
    ) -> str | None:
        """Make the run ready here: the registry, the plugins, the agents, the judges. `scenarios` holds one reference,
        which is followed only when the plugins are there, for what is in them may be theirs; `config` is the driver's.
        What stands against playing here, or None."""
        try:
            setup = recipe.setup()
            held = await scenarios[0]
            self._places = {scenario.id: place for place, scenario in enumerate(held)}
            selection = Selection(held, rules_of(setup, sorted({s.family for s in held})))
            own = evolve(recipe, changes={**recipe.changes, "concurrency": concurrency})
            prepared = own.prepared(setup, selection, share)
        except AdidemError as error:
            return str(error)
        if config["version"] != adidem.__version__:
            return f"it has adidem {adidem.__version__}, the driver {config['version']}"
        changed = changed_keys(config, prepared.config.to_json())
        if changed:
            return f"it is configured otherwise than the driver: {', '.join(changed)}"
        self._prepared = prepared
        return None

    async def play(self, scenario: str, world: WorldName, seat: Seat, barrier: str, repeat: int) -> Played:
        """Play one job."""
        assert self._prepared is not None, "it is started first"
        task = Task(self._prepared.selection.scenarios[self._places[scenario]], world, seat)
        episode = await play(task, self._prepared.setups[barrier], repeat)
        spent = self._prepared.sources.gateway.spent
        before, self._told = self._told, (spent.tokens, spent.cost)
        return sendable(episode), self._told[0] - before[0], self._told[1] - before[1]

    async def close(self) -> None:
        """Let go of every agent: of servers that run beside it, of the cache of answers."""
        if self._prepared is not None:
            await self._prepared.sources.close()


def sendable(episode: Episode) -> bytes:
    """The episode packed; mended where JSON cannot hold something in it, and else as a failed one that says so."""
    try:
        return packed(episode)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        try:
            return packed(mended(episode))
        except (TypeError, ValueError, OverflowError, RecursionError, cattrs.BaseValidationError):
            return packed(unstorable(episode, error))
