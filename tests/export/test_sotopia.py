"""SOTOPIA's layout: read back by the family's own reader."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from adidem.core.domain import SEATS, Turn
from adidem.core.export.sotopia import FILLED, PLAYED, acted
from adidem.core.runs.store import RunStore
from adidem.plugins.families.sotopia import OWN, Sotopia


def test_reading_an_export_gives_the_scenarios_back(cli, social) -> None:
    """Every field of the episodes that were played is there again, and what is read of them is the same."""
    cli("export", social, "--format", "sotopia", "--out", "out.jsonl")
    lines = [json.loads(line) for line in open("out.jsonl", encoding="utf-8")]  # noqa: SIM115, PTH123
    sources = {(entry := json.loads(line))["episode_id"]: entry for line in OWN.read_text().splitlines()}
    assert len(lines) >= len(sources) == 10
    for line in lines:
        source = sources[line["episode_id"]]
        added = {*PLAYED, *(key for key in FILLED if key not in source)}
        assert {key: value for key, value in line.items() if key not in added} == source
    before = {s.public.facts["source"]["episode_id"]: s for s in Sotopia().read(OWN)}
    for scenario in Sotopia().read(Path("out.jsonl")):
        was = before[scenario.public.facts["source"]["episode_id"]]
        assert (scenario.public.story, scenario.public.roles, scenario.a) == (was.public.story, was.public.roles, was.a)


def test_turns_and_ratings_are_those_of_the_run(cli, social) -> None:
    found = cli("export", social, "--format", "sotopia").stdout.splitlines()
    with RunStore(social) as store:
        for line, episode in zip(map(json.loads, found), store.episodes(), strict=True):
            before, *said = line["raw_messages"]
            assert [turn[0][2] for turn in said] == [a for turn in episode.turns for a in acted(turn)]
            assert [(sender, receiver) for sender, receiver, _ in before] == [
                ("Environment", name) for name in line["social_goals"]
            ]
            judgement = next(j for j in episode.judgements if j.judge == "sotopia")
            for place, seat in enumerate(SEATS):
                overall, scores = line["rewards"][place]
                assert overall == scores["overall_score"] == judgement.score("overall", seat)
                assert scores["goal"] == line["scores"][place]["goal"] == judgement.score("goal", seat)
                assert len(scores) == 8
            assert line["experiment_model_name_pairs"] == ["scripted:judge", "scripted:candid", "scripted:candid"]
            assert line["reasoning"].count("\n") >= 13


@dataclass
class Line:
    """What SOTOPIA's reader (0.1.5) takes: all of it, of these types."""

    episode_id: str
    environment_id: str
    agent_ids: list[str]
    experiment_tag: str
    experiment_model_name_pairs: list[str]
    raw_messages: list[list[tuple[str, str, str]]]
    raw_rewards: list[tuple[float, dict[str, float]]]
    raw_rewards_prompt: str
    scenario: str
    codename: str
    agents_background: dict[str, str]
    social_goals: dict[str, str]
    social_interactions: str
    reasoning: str
    rewards: list[tuple[float, dict[str, float]]]


def test_a_line_has_every_field_that_sotopias_reader_asks_for(cli, social) -> None:
    """Once with people that have profiles and ids, once without; a number for each of the two."""
    from pydantic import TypeAdapter

    cli("export", social, "--format", "sotopia", "--out", "out.jsonl")
    for text in Path("out.jsonl").read_text(encoding="utf-8").splitlines():
        line = TypeAdapter(Line).validate_json(text)
        assert len(line.rewards) == len(line.agent_ids) == len(line.social_goals) == 2
        assert all(line.agents_background.values())
        assert all(line.social_goals.values())


def test_sotopias_own_reader_reads_it(cli, social) -> None:
    reading = pytest.importorskip("sotopia.database.serialization", reason="SOTOPIA is not installed")
    cli("export", social, "--format", "sotopia", "--out", "out.jsonl")
    assert len(reading.jsonl_to_episodes("out.jsonl")) == len(Path("out.jsonl").read_text().splitlines())


def test_unrated_episodes_have_no_reward_and_it_is_said(cli, played) -> None:
    """No number is made up for them."""
    done = cli("export", played, "--format", "sotopia")
    assert "32 episodes without an overall score" in done.stderr
    for line in map(json.loads, done.stdout.splitlines()):
        assert (line["rewards"], line["scores"], line["reasoning"]) == ([], [None, None], "")
        assert line["experiment_model_name_pairs"][0] == ""


def test_an_export_of_profiles_is_selected_by_pair_as_its_source_was(cli, social) -> None:
    """With SOTOPIA's goals beside them, two pairs of the same two people are still two."""
    cli("export", social, "--format", "sotopia", "--out", "out.jsonl")
    one = Sotopia(per_environment=5)
    before = [s.public.facts["source"]["episode_id"] for s in one.read(OWN)]
    assert [s.public.facts["source"]["episode_id"] for s in one.read(Path("out.jsonl"))] == before


def test_other_families_are_read_too(cli, played) -> None:
    """A coordination problem as two people with goals: what each was told, and nobody else's."""
    cli("export", played, "--format", "sotopia", "--out", "out.jsonl")
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
