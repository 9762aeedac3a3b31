"""Plays on a Ray cluster: workers in processes of their own, each with many episodes at once. The driver alone writes.

A worker that dies (its process, its node) is replaced, and what it had in hand is played again by whoever is free. Only
what came back is written, so that nothing is lost and nothing is there twice.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from secrets import token_hex
from typing import Any

from attrs import define, field

from adidem.core.domain import AgentNames, Cause, Episode
from adidem.core.errors import ConfigError, ExecutorError, to_install
from adidem.core.llm.redact import one_line
from adidem.core.runs.execute import Player, episodes_at_once
from adidem.core.runs.executors.worker import Worker
from adidem.core.runs.plan import Job
from adidem.core.runs.recipe import Recipe
from adidem.core.runs.store_packing import unpacked
from adidem.core.runs.suite import Prepared

ADDRESS = "RAY_ADDRESS"
"""Environment variable: the cluster's address, `host:port` or `auto`. Without it one is started here, and ended."""

TRIES = 3
"""How often an episode is played whose worker dies under it, and how often in a row workers may die as they start."""

STARTING = 180.0
"""Seconds that a worker may take until it is ready, the wait for a free processor included."""

REACHED = 10.0
"""Seconds within which a cluster answers at all."""

CLOSING = 5.0
"""Seconds that a worker has to let go of what it holds."""

STORE = 128 * 2**20
"""Bytes of the object store of a cluster of one's own: scenarios go through it once, episodes are small."""

_log = logging.getLogger(__name__)


@define(eq=False)
class _Hired:
    """A worker that is ready. `ceiling` is its part of the calls at once, and stays with its place when it is lost."""

    actor: Any
    ceiling: int
    lost: bool = False


class RayExecutor:
    """`workers` None is one for each processor that the cluster has free. Together they make as many calls at once as
    the run would alone (`--concurrency`), so there are never more workers than calls at once, nor than the least limit
    that a model's settings give."""

    def __init__(self, recipe: Recipe, prepared: Prepared, workers: int | None = None) -> None:
        """Raises ConfigError where an agent cannot play elsewhere, Ray is not installed, or no cluster answers."""
        if "human" in (prepared.config.agent, prepared.config.partner):
            raise ConfigError("human plays at this terminal: leave --executor ray out")
        self._recipe, self._prepared = recipe.placed(), prepared
        self._ray, self._own = _connected(workers)
        free = int(self._ray.available_resources().get("CPU", 0))
        self.ceilings = shares(prepared.config.concurrency, min(workers or max(1, free), _least(prepared)))

    @property
    def at_once(self) -> int:
        """See `Executor.at_once`."""
        return sum(map(episodes_at_once, self.ceilings))

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[Player]:
        """See `Executor.playing`."""
        fleet = _Fleet(self._ray, self._recipe, self._prepared, len(self.ceilings))
        try:
            for ceiling in self.ceilings:
                fleet.hire(ceiling)
            yield fleet.play
        finally:
            await fleet.close()

    def close(self) -> None:
        """End the cluster that was started for this run, or leave that of others."""
        if self._own:
            self._ray.shutdown()


@define(eq=False)
class _Fleet:
    """The workers of one run. In `free` each has a place for every episode that it may have in hand; an error there is
    for whoever comes."""

    ray: Any
    recipe: Recipe
    prepared: Prepared
    share: int
    free: asyncio.Queue[_Hired | Exception] = field(factory=asyncio.Queue)
    hired: list[_Hired] = field(factory=list)
    _actors: list[Any] = field(factory=list)
    _tasks: set[asyncio.Task[None]] = field(factory=set)
    _scenarios: Any = None
    _starting: int = 0

    def hire(self, ceiling: int) -> None:
        """Have one more worker started, in the background."""
        self._starting += 1
        task = asyncio.ensure_future(self._start(ceiling))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def play(self, job: Job) -> Episode:
        """Have a job played by whoever is free, by another where that one dies under it."""
        task = job.task
        for _ in range(TRIES):
            worker = await self._next()
            try:
                data, tokens, cost = await worker.actor.play.remote(
                    task.scenario.id, task.world, task.seat, job.barrier, job.repeat
                )
            except self.ray.exceptions.RayTaskError as error:
                self.free.put_nowait(worker)
                return self._failed(job, "internal_error", one_line(f"{type(error.cause).__name__}: {error.cause}"))
            except self.ray.exceptions.RayError:
                self._lose(worker)
                continue
            except asyncio.CancelledError:
                self.free.put_nowait(worker)
                raise
            self.free.put_nowait(worker)
            spent = self.prepared.sources.gateway.spent
            spent.tokens, spent.cost = spent.tokens + tokens, spent.cost + cost
            return unpacked(data)
        return self._failed(job, "worker_lost", f"its worker died under it {TRIES} times")

    async def close(self) -> None:
        """Let every worker go."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(self._dismissed(worker) for worker in self.hired if not worker.lost))
        for actor in self._actors:
            self.ray.kill(actor)

    async def _next(self) -> _Hired:
        while True:
            worker = await self.free.get()
            if isinstance(worker, Exception):
                self.free.put_nowait(worker)
                raise worker
            if not worker.lost:
                return worker

    async def _start(self, ceiling: int) -> None:
        for _ in range(TRIES):
            actor = self._made(ceiling)
            try:
                problem = await asyncio.wait_for(self._ready(actor, ceiling), STARTING)
            except (TimeoutError, self.ray.exceptions.RayError) as error:
                self.ray.kill(actor)
                cause = one_line(str(error) or f"not ready after {STARTING:g} s: no processor is free for it")
                _log.warning("adidem: warning: a Ray worker did not start: %s", cause)
                if isinstance(error, TimeoutError):
                    break
                continue
            if problem is not None:
                self.free.put_nowait(ConfigError(f"a Ray worker cannot play this run: {problem}"))
                return
            worker = _Hired(actor, ceiling)
            self._starting -= 1
            self.hired.append(worker)
            for _ in range(episodes_at_once(ceiling)):
                self.free.put_nowait(worker)
            return
        self._starting -= 1
        if not self._starting and all(worker.lost for worker in self.hired):  # this was the last hope
            self.free.put_nowait(ExecutorError("no Ray worker is left that could play; see Ray's own logs"))

    def _made(self, ceiling: int) -> Any:
        made = self.ray.remote(Worker).options(
            num_cpus=1, max_restarts=0, max_concurrency=episodes_at_once(ceiling) + 4
        )
        actor = made.remote()
        self._actors.append(actor)
        return actor

    async def _ready(self, actor: Any, ceiling: int) -> str | None:
        if self._scenarios is None:
            self._scenarios = self.ray.put(self.prepared.selection.scenarios)
        config = self.prepared.config.to_json()
        # in a list, so that Ray hands the reference on and does not follow it before the worker has its plugins
        problem: str | None = await actor.start.remote(self.recipe, [self._scenarios], config, ceiling, self.share)
        return problem

    def _lose(self, worker: _Hired) -> None:
        if worker.lost:
            return
        worker.lost = True
        _log.warning("adidem: warning: a Ray worker was lost; what it had in hand is played again")
        self.ray.kill(worker.actor)
        self.hire(worker.ceiling)

    async def _dismissed(self, worker: _Hired) -> None:
        with suppress(TimeoutError, self.ray.exceptions.RayError):
            await asyncio.wait_for(worker.actor.close.remote(), CLOSING)

    def _failed(self, job: Job, kind: str, message: str) -> Episode:
        scenario, config = job.task.scenario, self.prepared.config
        setup = self.prepared.setups[job.barrier]
        return Episode(
            task=job.task.id,
            scenario=scenario.id,
            family=scenario.family,
            split=scenario.split,
            world=job.task.world,
            seat=job.task.seat,
            repeat=job.repeat,
            barrier=job.barrier,
            agents=AgentNames(setup.agent.name, setup.partner.name),
            status="failed",
            dialogue=config.dialogue,
            cause=Cause(kind, message, 1, "on its worker"),
        )


def shares(calls: int, workers: int) -> tuple[int, ...]:
    """The calls at once of each of so many workers, at least 1 each, which together are `calls`."""
    count = max(1, min(calls, workers))
    return tuple(calls // count + (place < calls % count) for place in range(count))


def _least(prepared: Prepared) -> int:
    """The least number that a model's settings set: so many workers can share it, and no more."""
    said = [
        most
        for _, settings in prepared.sources.models.values()
        for most in (settings.concurrency, settings.requests_per_minute)
        if most is not None
    ]
    return min([prepared.config.concurrency, *said])


def _connected(workers: int | None) -> tuple[Any, bool]:
    """Ray, connected to a cluster; whether it is for this run to let go of it.

    Raises:
        ConfigError: Ray is not installed, or no cluster answers.
    """
    address = os.environ.get(ADDRESS) or "local"
    if address.startswith("ray://"):
        raise ConfigError(f"{ADDRESS}={address}: run on a machine of the cluster, with host:port or auto in its place")
    where: dict[str, Any] = {"address": address}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent to anybody
    if address == "local":
        where |= {"num_cpus": workers or _cores(), "object_store_memory": STORE, "include_dashboard": False}
        _closed_to_others()
    elif address != "auto":
        _must_listen(address)
    try:
        import ray
    except ImportError as error:
        raise ConfigError(f"--executor ray needs the package ray: {to_install('scale')}") from error
    if ray.is_initialized():
        return ray, False
    try:
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise ConfigError(one_line(f"no Ray cluster at {address}: {error}")) from error
    return ray, True


def _must_listen(address: str) -> None:
    """Raises ConfigError where nobody listens: Ray itself would try for many minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACHED).close()
    except (OSError, ValueError, OverflowError) as error:
        raise ConfigError(
            f"no Ray cluster at {ADDRESS}={address}: {error}; write it as host:port, or leave it out to start one here"
        ) from error


def _closed_to_others() -> None:
    """A token for a cluster of one's own, which its processes inherit: whoever may speak to a cluster may run code in
    it. Ray would write one into the home folder."""
    if os.environ.get("RAY_AUTH_MODE") is None and "RAY_AUTH_TOKEN_PATH" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", token_hex(32))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
