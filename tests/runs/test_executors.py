"""Who is given what on a cluster, and what the driver does when workers are lost, without any cluster."""

import asyncio
import builtins
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import AgentNames, Episode
from adidem.core.errors import ConfigError, ExecutorError
from adidem.core.runs.executors import cluster as module
from adidem.core.runs.executors.cluster import RayExecutor, _Fleet, _Hired, shares
from adidem.core.runs.executors.worker import sendable
from adidem.core.runs.recipe import Recipe
from adidem.core.runs.store_packing import packed, unpacked


@given(st.integers(1, 5000), st.integers(1, 500))
def test_the_shares_are_together_what_one_would_have_and_nearly_equal(calls, workers):
    found = shares(calls, workers)
    assert sum(found) == calls
    assert len(found) == min(calls, workers)
    assert 1 <= min(found) <= max(found) <= min(found) + 1


class Lost(Exception):
    """As Ray's own: whatever went wrong with a worker."""


class Raised(Lost):
    """As Ray's own: what the worker's code raised."""

    cause = ZeroDivisionError("division by zero")


class Remote:
    """A method of an actor."""

    def __init__(self, call):
        self.remote = call


class Ray:
    """A cluster that does what a test says. `plays` and `starts` are asked for each call."""

    exceptions = SimpleNamespace(RayError=Lost, RayTaskError=Raised)

    def __init__(self, plays, starts=lambda: None):
        self.plays, self.starts, self.killed, self.made = plays, starts, [], 0

    def remote(self, _):
        return self

    def options(self, **_):
        def made():
            self.made += 1
            actor = SimpleNamespace(number=self.made)
            actor.start = Remote(lambda *_: self._later(self.starts))
            actor.play = Remote(lambda *part: self._later(self.plays, actor.number, *part))
            actor.close = Remote(lambda: self._later(lambda: None))
            return actor

        return Remote(made)

    async def _later(self, call, *given):
        await asyncio.sleep(0)
        return call(*given)

    def put(self, value):
        return value

    def kill(self, actor):
        self.killed.append(actor.number)


@pytest.fixture(scope="module")
def prepared():
    recipe = Recipe("hico", "scripted:candid", limit=4)
    return recipe.prepared(recipe.setup())


def episode(scenario, world, seat, barrier, repeat):
    names = AgentNames("a", "b")
    told = Episode(f"{scenario}/{world}/{seat}", scenario, "f", "test", world, seat, repeat, barrier, names, "scored")
    return packed(told), 10, 0.5


def play(ray, prepared, ceilings=(2, 1)):
    """Every job of the run, as the fleet plays it."""

    async def go():
        fleet = _Fleet(ray, None, prepared, len(ceilings))
        for ceiling in ceilings:
            fleet.hire(ceiling)
        try:
            return await asyncio.gather(*map(fleet.play, prepared.jobs))
        finally:
            await fleet.close()

    return asyncio.run(asyncio.wait_for(go(), 20))


def test_every_job_is_played_and_what_was_spent_is_the_drivers(prepared):
    before = prepared.sources.gateway.spent.tokens
    found = play(Ray(lambda _, *part: episode(*part)), prepared)
    assert [e.key for e in found] == [job.key for job in prepared.jobs]
    assert prepared.sources.gateway.spent.tokens == before + 10 * len(found)


def test_what_a_lost_worker_had_in_hand_is_played_by_another(prepared):
    def plays(number, *part):
        if number == 1:
            raise Lost
        return episode(*part)

    ray = Ray(plays)
    found = play(ray, prepared)
    assert {e.status for e in found} == {"scored"}
    assert ray.made == 3, "it is replaced"
    assert 1 in ray.killed


def test_an_episode_that_its_worker_never_survives_fails_with_that_cause(prepared):
    def plays(_, scenario, world, *part):
        if world == "a":
            raise Lost
        return episode(scenario, world, *part)

    found = play(Ray(plays), prepared, (1, 1))
    assert {e.cause.kind for e in found if e.world == "a"} == {"worker_lost"}
    assert [e.key for e in found] == [job.key for job in prepared.jobs]


def test_what_a_workers_code_raises_is_an_internal_error_and_the_worker_stays(prepared):
    def plays(*_):
        raise Raised

    ray = Ray(plays)
    found = play(ray, prepared)
    assert {(e.cause.kind, e.cause.message) for e in found} == {
        ("internal_error", "ZeroDivisionError: division by zero")
    }
    assert ray.made == 2


def test_workers_that_never_start_end_the_run(prepared):
    def starts():
        raise Lost("no such image")

    ray = Ray(lambda _, *part: episode(*part), starts)
    with pytest.raises(ExecutorError, match="no Ray worker is left"):
        play(ray, prepared)
    assert ray.made == 2 * module.TRIES


def test_a_worker_that_no_processor_is_free_for_is_waited_for_and_given_up(prepared, monkeypatch):
    monkeypatch.setattr(module, "STARTING", 0.05)
    ray = Ray(lambda _, *part: episode(*part))

    async def pending():
        await asyncio.sleep(30)

    ray.options = lambda **_: Remote(lambda: SimpleNamespace(number=0, start=Remote(lambda *_: pending())))
    with pytest.raises(ExecutorError):
        play(ray, prepared)


def test_what_stands_against_playing_is_said_once_by_the_run(prepared):
    ray = Ray(lambda _, *part: episode(*part), lambda: "unknown family 'x'")
    with pytest.raises(ConfigError, match="a Ray worker cannot play this run: unknown family 'x'"):
        play(ray, prepared)


def test_a_lost_worker_is_replaced_once_for_all_that_it_had(prepared):
    async def go():
        ray = Ray(lambda _, *part: episode(*part))
        fleet = _Fleet(ray, None, prepared, 1)
        worker = _Hired(SimpleNamespace(number=9), 4)
        for _ in range(5):
            fleet._lose(worker)
        await asyncio.gather(*fleet._tasks)
        await fleet.close()
        return ray.made, ray.killed

    made, killed = asyncio.run(go())
    assert made == 1
    assert killed.count(9) == 1


def test_what_json_cannot_hold_goes_back_mended(prepared):
    names = AgentNames("a", "b")
    told = Episode(
        "t", "s", "f", "test", "a", "first", 0, "none", names, "scored", extra={"x": "\ud800", "y": object()}
    )
    assert unpacked(sendable(told)).key == told.key


def test_ray_that_is_not_installed_is_named_with_its_extra(prepared, monkeypatch):
    real = builtins.__import__

    def without(name, *more, **named):
        if name == "ray":
            raise ImportError(name)
        return real(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r"pip install -c constraints.txt -e '\.\[scale\]'"):
        RayExecutor(Recipe("hico", "scripted:candid"), prepared)


def test_a_person_at_the_terminal_cannot_be_elsewhere():
    recipe = Recipe("hico", "human", limit=4)
    with pytest.raises(ConfigError, match="human plays at this terminal"):
        RayExecutor(recipe, recipe.prepared(recipe.setup()))


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "127.0.0.1:99999", ":"])
def test_a_cluster_that_is_not_there_is_said_at_once(prepared, monkeypatch, address):
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(ConfigError, match="no Ray cluster at RAY_ADDRESS="):
        RayExecutor(Recipe("hico", "scripted:candid"), prepared)


def test_the_client_address_is_refused_with_what_to_do(prepared, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "ray://head:10001")
    with pytest.raises(ConfigError, match="host:port or auto"):
        RayExecutor(Recipe("hico", "scripted:candid"), prepared)


def test_a_recipe_goes_to_another_folder_with_whole_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "registry.yaml").write_text("suites: {hico: {turns: 6}}\n")
    (tmp_path / "p.py").write_text("")
    placed = Recipe("hico", "scripted:candid", plugins=(Path("p.py"),)).placed()
    assert placed.registry == tmp_path / "registry.yaml"
    assert placed.plugins == (tmp_path / "p.py",)
    (tmp_path / "registry.yaml").unlink()
    monkeypatch.chdir("/")
    again = Recipe("hico", "scripted:candid").placed()
    assert again.setup().suite("hico") == Recipe("hico", "scripted:candid").setup().suite("hico")
