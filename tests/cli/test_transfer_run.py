"""`adidem run sotopia_transfer`: 14 environments by 5 pairs out of a copy, two partner settings, seven dimensions."""

import json
from collections import Counter
from pathlib import Path

import pytest

from adidem.core.errors import BankError
from adidem.core.runs.store import RunStore
from adidem.plugins.families.sotopia import OWN, Sotopia
from adidem.plugins.judges.sotopia import NAMES

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "socialveil" / "episode_hard.jsonl"
needs_sample = pytest.mark.skipif(not SAMPLE.exists(), reason=f"the SocialVeil sample is not at {SAMPLE}")


def last(result):
    return json.loads(result.stdout.splitlines()[-1])


def copies(environments, pairs, models=1):
    """Episodes as a published file has them: each pair of each environment once for each model that played it."""
    entry = json.loads(OWN.read_text().splitlines()[0])
    for _, pair, env in ((m, p, e) for m in range(models) for p in range(pairs) for e in range(environments)):
        made = json.loads(json.dumps(entry))
        made["environment_id"] = f"env{env:02d}"
        made["episode_id"] = f"{env}-{pair}"
        made["agent_profiles"][0]["last_name"] = f"Solheim{pair}"
        yield made


@pytest.fixture
def data(tmp_path):
    def write(*entries, name="mine.jsonl"):
        (tmp_path / name).write_text("".join(json.dumps(e) + "\n" for e in entries))
        return tmp_path / name

    return write


def chosen(path, **options):
    return list(Sotopia(**options).read(path))


def environment(scenario):
    return scenario.public.facts["source"]["environment_id"]


def test_five_pairs_of_each_of_fourteen_environments_are_seventy(data):
    path = data(*copies(14, 8, models=2))
    found = chosen(path, per_environment=5)
    assert len(found) == 70
    assert Counter(map(environment, found)) == {f"env{n:02d}": 5 for n in range(14)}
    assert len({(environment(s), s.public.names) for s in found}) == 70, "no pair twice"
    own_layout = [
        {
            "episode_id": str(number),
            "environment_id": "e",
            "scenario": "Two people share a bench.",
            "social_goals": {f"Ann Lee{number % 3}": "Read in peace", "Cy Moss": "Have a chat"},
        }
        for number in range(6)
    ]
    played_twice = data(*own_layout, name="own.jsonl")
    assert len(chosen(played_twice, per_environment=5)) == 3, "each pair was played by two models"
    assert [s.id for s in found[:2]] == ["sotopia/test/00", "sotopia/test/01"]
    assert len(chosen(path)) == 14 * 8 * 2, "without the option nothing is left out"


def test_environments_are_named_by_ids_or_by_episodes(data, tmp_path):
    path = data(*copies(5, 2))
    (tmp_path / "ids.txt").write_text("env01\nenv03\n")
    by_ids = chosen(path, environments=str(tmp_path / "ids.txt"))
    assert {environment(s) for s in by_ids} == {"env01", "env03"}
    other = data(*list(copies(4, 1))[2:], name="hard.jsonl")
    assert {environment(s) for s in chosen(path, environments=str(other))} == {"env02", "env03"}
    for name in ("none.txt", "none.jsonl"):
        with pytest.raises(BankError, match="none"):
            chosen(path, environments=str(tmp_path / name))


@pytest.mark.slow
@pytest.mark.parametrize("partner", ["self", "scripted:guarded"])
def test_seventy_pairs_are_played_in_either_partner_setting_with_seven_dimensions(cli, data, tmp_path, partner):
    path = data(*copies(14, 6))
    chosen_ = "--set", f"suites.sotopia_transfer.data={path}", "--set", "families.sotopia.per_environment=5"
    words = *chosen_, "--partner", partner, "--judge", "scripted:judge", "--out", "run", "--json"
    done = last(cli("run", "sotopia_transfer", *words))
    assert done["episodes"] == {"scored": 140, "failed": 0, "owed": 0}
    assert {f"sotopia.{name}" for name in NAMES} | {"sotopia.overall"} <= set(done["metrics"])
    with RunStore(tmp_path / "run") as store:
        assert {e.agents.partner for e in store.episodes()} == {"scripted:candid" if partner == "self" else partner}


@needs_sample
@pytest.mark.parametrize("partner", ["self", "scripted:guarded"])
def test_the_samples_28_episodes_are_14_environments_by_two(cli, tmp_path, partner):
    words = "--set", f"suites.sotopia_transfer.data={SAMPLE}", "--set", "families.sotopia.per_environment=5"
    judged = "--partner", partner, "--judge", "scripted:judge", "--out", "run", "--json"
    done = last(cli("run", "sotopia_transfer", *words, *judged))
    assert done["episodes"] == {"scored": 56, "failed": 0, "owed": 0}
    with RunStore(tmp_path / "run") as store:
        counts = Counter(environment(s) for s in store.scenarios())
        ratings = [r for e in store.episodes() for j in e.judgements for r in j.ratings]
    assert len(counts) == 14
    assert set(counts.values()) == {2}
    assert len(ratings) == 56 * 2 * 9
    assert all(r.score is not None for r in ratings)


@needs_sample
def test_the_hard_environments_of_the_sample_select_from_a_larger_copy(data):
    entries = [json.loads(line) for line in SAMPLE.read_text().splitlines()]
    path = data(*copies(3, 2), *entries)
    assert len(chosen(path, environments=str(SAMPLE))) == 28
    assert len(chosen(path, environments=str(SAMPLE), per_environment=1)) == 14
