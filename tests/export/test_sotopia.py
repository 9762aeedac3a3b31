"""SOTOPIA's layout: read back by the family's own reader."""

import json

import pytest

from adidem.core.domain import Turn
from adidem.core.export.sotopia import PLAYED, acted
from adidem.core.runs.store import RunStore
from adidem.plugins.families.sotopia import OWN, Sotopia


def test_reading_an_export_gives_the_scenarios_back(cli, social) -> None:
    """Every field of the episodes that were played is there again, and what is read of them is the same."""
    cli("export", social, "--format", "sotopia", "--out", "out.jsonl")
    lines = [json.loads(line) for line in open("out.jsonl", encoding="utf-8")]  # noqa: SIM115, PTH123
    sources = {(entry := json.loads(line))["episode_id"]: entry for line in OWN.read_text().splitlines()}
    assert len(lines) >= len(sources) == 10
    for line in lines:
        assert {key: value for key, value in line.items() if key not in PLAYED} == sources[line["episode_id"]]
    before = {s.public.facts["source"]["episode_id"]: s for s in Sotopia().read(OWN)}
    from pathlib import Path

    for scenario in Sotopia().read(Path("out.jsonl")):
        was = before[scenario.public.facts["source"]["episode_id"]]
        assert (scenario.public.story, scenario.public.roles, scenario.a) == (was.public.story, was.public.roles, was.a)


def test_turns_and_ratings_are_those_of_the_run(cli, social) -> None:
    found = cli("export", social, "--format", "sotopia").stdout.splitlines()
    with RunStore(social) as store:
        for line, episode in zip(map(json.loads, found), store.episodes(), strict=True):
            assert [turn[0][2] for turn in line["raw_messages"]] == [a for turn in episode.turns for a in acted(turn)]
            judgement = next(j for j in episode.judgements if j.judge == "sotopia")
            assert line["rewards"][0]["goal"] == judgement.score("goal", "first")
            assert line["rewards"][1]["goal"] == judgement.score("goal", "second")


def test_other_families_are_read_too(cli, played) -> None:
    """A coordination problem as two people with goals: what each was told, and nobody else's."""
    cli("export", played, "--format", "sotopia", "--out", "out.jsonl")
    from pathlib import Path

    scenarios = list(Sotopia().read(Path("out.jsonl")))
    assert len({s.public.facts["source"]["episode_id"] for s in scenarios}) == len(scenarios) == 32
    with RunStore(played) as store:
        episode = next(store.episodes())
        scenario = store.scenario(episode.scenario)
    world = scenario.world(episode.world)
    for seat in ("first", "second"):
        goal = next(c.text for c in scenarios[0].a if c.owner == seat and c.kind == "goal")
        for condition in world.conditions:
            assert (condition.text.rstrip(".") in goal) == (condition.owner == seat)


@pytest.mark.parametrize(
    ("turn", "acts"),
    [
        (Turn(0, "first", "Hi."), ['said: "Hi."']),
        (Turn(0, "first", "", "none"), ["did nothing"]),
        (Turn(0, "first", "nods", "non-verbal communication"), ["[non-verbal communication] nods"]),
        (Turn(0, "first", "pays", "action"), ["[action] pays"]),
        (Turn(0, "first", "", "leave"), ["left the conversation"]),
        (Turn(0, "first", "Bye.", "leave"), ['said: "Bye."', "left the conversation"]),
    ],
)
def test_every_kind_of_turn_has_its_words(turn, acts) -> None:
    assert list(acted(turn)) == acts
