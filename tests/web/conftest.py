"""Runs to look through: one played by scripted agents, copies of it with whatever a test plants, and the app to ask."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from adidem.core.cli.main import app as adidem
from adidem.core.rules import Rules
from adidem.core.runs.store import RunStore
from adidem.core.setup import load
from adidem.core.web.app import Viewer, build
from adidem.core.web.folders import Runs
from adidem.core.web.guard import Access
from viewing import asked


def play(folder, *more):
    """Play with scripted agents, in process."""
    words = ["run", "hico", "--agent", "scripted:agreeable", "--out", folder, "--json", *more]
    result = CliRunner().invoke(adidem, list(map(str, words)))
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The folder of a run of 48 episodes, half of them under a barrier; not to be changed."""
    folder = tmp_path_factory.mktemp("played") / "played"
    play(folder, "--limit", 24, "--barrier", "semantic_vagueness")
    return folder


@pytest.fixture(scope="session")
def rules():
    """The rules of every built-in family."""
    found = load().components
    return {name: Rules(family, found.checkers_for(name)) for name, family in found.families.items()}


@pytest.fixture(scope="session")
def episodes(played):
    """The episodes of the run, in a fixed order."""
    with RunStore(played) as store:
        return tuple(store.episodes())


@pytest.fixture(scope="session")
def scenarios(played):
    """The scenarios of the run by id."""
    with RunStore(played) as store:
        return {scenario.id: scenario for scenario in store.scenarios()}


@pytest.fixture
def runs(tmp_path):
    """An empty folder of runs."""
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def copied(played, runs):
    """`copied(name, change, scenario)`: the run again below `runs`, each episode and scenario as they make it; an
    episode for which `change` gives None is left out."""

    def copy(name="run", change=lambda episode: episode, scenario=lambda scenario: scenario):
        with RunStore(played) as old, RunStore(runs / name, write=True) as new:
            new.begin(old.get("config"), [scenario(s) for s in old.scenarios()], old.get("planned"))
            for episode in old.episodes():
                made = change(episode)
                for kept in made if isinstance(made, list) else [made]:
                    if kept is not None:
                        new.add(kept)
        return runs / name

    return copy


@pytest.fixture
def ask(runs, rules):
    """`ask(path, **query)`: what the viewer of `runs` answers."""
    viewer = Viewer(Runs(runs), rules)
    app = build(viewer, Access.to("127.0.0.1", 8610, None))
    return lambda path, **query: asked(app, path, query)


@pytest.fixture
def outside():
    """The one-file family from outside."""
    return Path(__file__).parents[1] / "outside" / "meeting_place.py"
