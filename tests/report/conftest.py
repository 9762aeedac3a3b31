"""Runs to report: one of the one-file family from outside with judges and two barrier conditions, and copies of it in
which anything may be changed."""

import json
from pathlib import Path

import pytest
from attrs import evolve

from adidem.core.domain import Cause, Flag, Judgement, Rating, Usage
from adidem.core.runs.store import RunStore
from command_line import called
from payloads import PAYLOADS

OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"


def play(folder, *more, agent="scripted:guarded"):
    """A run of the family from outside."""
    words = ["run", "hico", "--plugin", OUTSIDE, "--family", "meeting_place", "--agent", agent, "--out", folder]
    called(*words, "--judge", "scripted:judge", "--quiet", *more)
    return folder


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The folder of a run of two repeats without and with a barrier; not to be changed."""
    folder = tmp_path_factory.mktemp("played") / "first"
    return play(folder, "--barrier", "semantic_vagueness:0.7", "--repeats", "2")


@pytest.fixture(scope="session")
def silent(tmp_path_factory):
    """The same agents without dialogue, and another agent: (silent, talking)."""
    base = tmp_path_factory.mktemp("silent")
    return play(base / "silent", "--no-dialogue"), play(base / "talking")


@pytest.fixture
def copied(played, tmp_path):
    """`copied(name, change, config)`: the run again, each episode as `change(number, episode)` makes it."""

    def copy(name, change=lambda _, episode: episode, config=None, scenario=lambda scenario: scenario, **put):
        with RunStore(played) as old, RunStore(tmp_path / name, write=True) as new:
            new.begin(config or old.get("config"), [scenario(s) for s in old.scenarios()], old.get("planned"))
            for key in ("speaks", "judges", "seconds"):
                new.put(key, put.get(key, old.get(key)))
            for number, episode in enumerate(old.episodes()):
                made = change(number, episode)
                for one in made if isinstance(made, list) else [made]:
                    new.add(one)
        return tmp_path / name

    return copy


@pytest.fixture
def poisoned(copied):
    """A run in which everything that a model, a plugin or a store may hold is a hostile text."""

    def payload(number):
        return PAYLOADS[number % len(PAYLOADS)]

    def change(number, episode):
        text = payload(number)
        turns = tuple(evolve(t, text=payload(number + i), reasoning=text) for i, t in enumerate(episode.turns))
        records = {seat: evolve(w, raw=text, outcome=None, unreadable=text) for seat, w in episode.records.items()}
        ratings = (
            Rating(text[:2000], None, float(number % 4), text),
            Rating("goal", episode.seat, 9.0, text),
            Rating("other", None, None, text, unscored=text),
        )
        judgements = (
            *episode.judgements,
            Judgement(f"judge {text[:2000]}", ratings, (Flag(text[:2000], None, None, text, text),), spec=text[:2000]),
        )
        failed = evolve(episode, repeat=episode.repeat + 7, status="failed", cause=Cause(text[:2000], text, 1, text))
        poisoned = evolve(
            episode,
            family=text[:2000],
            barrier=episode.barrier if episode.barrier == "none" else f"{text[:2000]}:0.7",
            turns=turns,
            records=records,
            judgements=judgements,
            ended=text[:2000],
            usage={text[:2000]: Usage(1, 2, 3, None, ((text[:2000], 2),))},
        )
        return [poisoned, failed]

    def scenario(scenario):
        roles = tuple(evolve(role, name=payload(4)[:2000]) for role in scenario.public.roles)
        return evolve(scenario, public=evolve(scenario.public, roles=roles, story=payload(2)))

    config = {
        "suite": payload(0), "agent": payload(7), "partner": payload(12), "barriers": list(PAYLOADS), "seed": 0,
        "dialogue": True, "families": [payload(9)], "models": {"judge x": {"model": payload(27)}},
    }  # fmt: skip
    folder = copied("poisoned", change, config, scenario)
    with (folder / "metrics.jsonl").open("w") as out:
        for update in range(4):
            out.write(json.dumps({"update": update, **{text[:500]: update for text in PAYLOADS[:6]}}) + "\n")
    return folder
