"""Runs to annotate: the one-file family from outside, played in process, and what may be changed in them afterwards."""

from pathlib import Path

import pytest
from attrs import evolve
from typer.testing import CliRunner

from adidem.core.cli.main import app
from adidem.core.runs.store import RunStore

OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The folder of a run; not to be changed."""
    folder = tmp_path_factory.mktemp("played") / "secret-run-name"
    words = ["run", "hico", "--plugin", OUTSIDE, "--family", "meeting_place", "--out", folder, "--json"]
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def copied(played, tmp_path):
    """`copied(name, change, scenario)`: the run again under another name, each episode and scenario as they make it."""

    def copy(name, change=lambda episode: episode, scenario=lambda scenario: scenario):
        with RunStore(played) as old, RunStore(tmp_path / name, write=True) as new:
            new.begin(old.get("config"), [scenario(s) for s in old.scenarios()], old.get("planned"))
            for episode in old.episodes():
                for made in change(episode) if isinstance(change(episode), list) else [change(episode)]:
                    new.add(made)
        return tmp_path / name

    return copy


@pytest.fixture
def conditions(copied):
    """A run with each task under three conditions."""
    names = ("none", "semantic_vagueness:0.7", "emotional_interference:0.7")
    return copied("conditions", lambda episode: [evolve(episode, barrier=name) for name in names])
