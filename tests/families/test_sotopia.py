"""SOTOPIA-style episodes: both layouts read with nothing lost, and each person shown their own side alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import SEATS, other
from adidem.core.errors import BankError
from adidem.core.scenarios import scenario_from_json, scenario_to_json
from adidem.plugins.families.episodes import people, tags
from adidem.plugins.families.sotopia import OWN, Sotopia, gist

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "socialveil"
needs_sample = pytest.mark.skipif(not SAMPLE.exists(), reason=f"the SocialVeil sample is not at {SAMPLE}")

TAGGED = {
    "episode_id": "t1",
    "scenario": "Two people wait at a gate."
    '<p viewer="agent_0">Your watch is slow.</p>'
    "<p viewer='agent_1'>You have seen the notice.</p>"
    '<p viewer="environment">The flight is cancelled.</p>',
    "codename": "gate",
    "agent_profiles": [
        {"first_name": "Ada", "last_name": "Quist", "age": 30, "occupation": "Baker", "secret": "Ada fears heights."},
        {"first_name": "Bo", "last_name": "Renn", "age": 31, "occupation": "Pilot", "secret": "Bo lost the keys."},
    ],
    "agent_goals": [
        "Find out why nobody boards (<extra_info>Extra information: you must be home by nine"
        "<strategy_hint>Hint: ask about the weather</strategy_hint></extra_info>)",
        'Stay calm <p viewer="environment">whatever happens</p>'
        "(<clarification_hint>Hint: you know the crew</clarification_hint>)",
    ],
    "agent_relationship": "stranger",
    "agent1_reason": "Ada has promised to be home.",
    "agent2_reason": "Bo hates crowds.",
    "agent_goals_mcqas": [
        {"question": "What is Agent 1's goal?", "options": {"A": "Sleep", "B": "Find out why"}, "correct_answer": "B"}
    ],
    "agent_reasons_mcqas": [],
    "added_by_somebody": {"kept": [1, None, "ü"]},
}
SOTOPIA = {
    "episode_id": "s1",
    "environment_id": "e1",
    "agent_ids": ["a", "b"],
    "experiment_tag": "x",
    "experiment_model_name_pairs": ["gpt", "m1", "m2"],
    "raw_messages": [[["Environment", "Ann Lee", "hello"]]],
    "raw_rewards": [[1.0, {"goal": 3}]],
    "scenario": "Two people share a bench.",
    "codename": "bench",
    "agents_background": {
        "Cy Moss": "Cy Moss is a 40-year-old male gardener. He/him pronouns. Cy's secrets: He is in debt.",
        "Ann Lee": "Ann Lee is a 22-year-old female student. She/her pronouns. Ann's secrets: She skips class.",
    },
    "social_goals": {"Ann Lee": "Read in peace", "Cy Moss": "Have a chat"},
    "social_interactions": "Ann Lee said: …",
    "reasoning": "…",
    "rewards": [1, 2],
}


COUNTED = """
import sys
from pathlib import Path
from adidem.plugins.families.sotopia import Sotopia
count = sum(1 for _ in Sotopia().read(Path(sys.argv[1])))
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(count, int(peak.split()[1]) // 1024)  # not ru_maxrss: a forked process starts with its parent's
"""


def write(folder, *entries, name="episodes.jsonl"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(e if isinstance(e, str) else json.dumps(e) + "\n" for e in entries))
    return folder / name


@pytest.fixture
def family():
    return Sotopia()


@pytest.fixture
def tagged(family, tmp_path):
    return next(iter(family.read(write(tmp_path, TAGGED))))


def private(scenario, seat):
    """Every text that is that person's alone."""
    return [text for c in scenario.a if c.owner == seat for text in (c.text, str(c.value)) if len(text) > 3]


def shown(family, scenario, seat):
    """All that the person in that seat is given: the card, whole, and the prompt."""
    card = scenario.worlds[0].card(seat)
    return repr(card), family.prompt(card)


# ------------------------------------------------------------------------------------------------ what each one sees


def test_viewer_tags_show_each_what_is_theirs_and_neither_what_is_the_environments(family, tagged):
    assert tagged.public.story == "Two people wait at a gate."
    first, second = (shown(family, tagged, seat) for seat in SEATS)
    for text in first:
        assert "watch is slow" in text
        assert "notice" not in text
    for text in second:
        assert "seen the notice" in text
        assert "watch" not in text
    assert not any(word in text for text in (*first, *second) for word in ("cancelled", "whatever happens"))
    assert tagged.public.facts["environment"] == "The flight is cancelled."


def test_hints_are_the_owners_and_stand_in_their_own_conditions(tagged):
    world = tagged.worlds[0]
    assert world.of("first", "goal") == "find out why nobody boards"
    assert world.of("first", "extra_info") == "I must be home by nine"
    assert world.of("first", "strategy_hint") == "Hint: ask about the weather"
    assert world.of("second", "clarification_hint") == "Hint: you know the crew"
    assert world.of("second", "goal") == "stay calm"


def test_no_card_and_no_prompt_holds_anything_of_the_others_side(family, tagged):
    for seat in SEATS:
        for text in shown(family, tagged, seat):
            assert not [own for own in private(tagged, other(seat)) if own in text]
            assert "correct_answer" not in text


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ('a <p viewer="agent_0">b', "a b", "a"),
        ("a </p> b", "a b", "a b"),
        ("a <p viewer=agent_0>b</p> c", "a c", "a c"),
        ('a <p viewer="agent_7">b</p> c', "a c", "a c"),
        ('a <p viewer="agent_0, agent_1">b</p>', "a b", "a b"),
        ('a <p viewer="agent_0">b <p viewer="agent_1">c</p> d</p> e', "a b d e", "a e"),
        ("a <P VIEWER='agent_1'>b</P>", "a", "a b"),
        ("a <b>bold</b> c", "a c", "a c"),
        ("5 < 6 and 7 > 3", "5 < 6 and 7 > 3", "5 < 6 and 7 > 3"),
        ("a <p>b</p>", "a b", "a b"),
        ('a <p viewer="agent_0">b</extra_info> c</p> d', "a b c d", "a d"),
        ("Tom &amp; Jo &lt;3", "Tom & Jo <3", "Tom & Jo <3"),
    ],
)
def test_malformed_tags_hide_rather_than_show(text, first, second):
    assert tags.seen(text, "first") == first
    assert tags.seen(text, "second") == second


@given(st.text(alphabet="ab </>p=\"'vier_gnt01x", max_size=60))
def test_any_text_is_cut_into_pieces_and_none_is_made_up(text):
    for piece in tags.pieces(text):
        assert piece.text in text


@given(st.text(alphabet="abc ", max_size=8), st.text(alphabet="xyz ", min_size=1, max_size=8))
def test_what_is_one_viewers_is_never_the_others(public, own):
    text = f'{public}<p viewer="agent_0">{own}</p>'
    assert not set("xyz") & set(tags.seen(text, "second"))


# ---------------------------------------------------------------------------------------------------- nothing is lost


def test_both_layouts_and_a_folder_of_them_are_read_back_field_by_field(family, tmp_path):
    write(tmp_path, TAGGED, "\n", TAGGED, name="one.jsonl")
    write(tmp_path / "more", SOTOPIA, name="two.jsonl")
    found = list(family.read(tmp_path))
    assert [family.write_episode(s) for s in found] == [SOTOPIA, TAGGED, TAGGED]
    assert len({s.id for s in found}) == 3
    stored = [scenario_from_json(json.loads(json.dumps(scenario_to_json(s)))) for s in found]
    assert [family.write_episode(s) for s in stored] == [SOTOPIA, TAGGED, TAGGED]


def test_sotopias_own_layout_keeps_the_secret_with_its_owner_and_the_order_of_the_backgrounds(family, tmp_path):
    scenario = next(iter(family.read(write(tmp_path, SOTOPIA))))
    assert scenario.public.names == ("Cy Moss", "Ann Lee")
    assert scenario.worlds[0].of("first", "secret") == "He is in debt."
    assert scenario.worlds[0].of("second", "goal") == "read in peace"
    assert "debt" not in "".join(shown(family, scenario, "second"))
    assert "gardener" not in "".join(shown(family, scenario, "second")), "no relationship is said, so nothing is known"


@needs_sample
def test_every_sample_episode_is_imported_with_nothing_lost_and_nothing_shown_to_the_other(family):
    lines = [json.loads(line) for line in (SAMPLE / "episode_hard.jsonl").read_text().splitlines()]
    found = list(family.read(SAMPLE))
    assert len(found) == 28
    for scenario, entry in zip(found, lines, strict=True):
        assert family.write_episode(scenario) == entry
        assert len(scenario.public.facts["mcq"]) == 4
        mine = {seat: set(private(scenario, seat)) for seat in SEATS}
        for seat in SEATS:
            profile = entry["agent_profiles"][1 - SEATS.index(seat)]
            for text in shown(family, scenario, seat):
                alone = [own for own in mine[other(seat)] - mine[seat] if own in text]
                known = scenario.public.roles[SEATS.index(other(seat))].about
                assert [own for own in alone if own.rstrip(".") not in known] == []
                assert profile["secret"] not in text or not profile["secret"]
                assert "viewer" not in text
                assert "<extra_info>" not in text


def test_what_is_known_of_the_other_grows_with_the_relationship():
    person = people.from_profile(
        {
            "first_name": "Ada",
            "last_name": "Quist",
            "age": 30,
            "occupation": "Baker",
            "public_info": "Ada bakes.",
            "personality_and_values": "Ada is shy.",
            "secret": "Ada is rich.",
        }
    )
    partner = people.Person("Bo Renn")
    said = [people.about(person, partner, level) for level in (0, 1, 2, 3, 4, 5)]
    assert "baker" not in said[0] + said[1]
    assert "bakes" in said[2]
    assert "shy" not in said[2]
    assert all("shy" in text and "rich" not in text for text in said[3:])


@pytest.mark.parametrize(
    ("value", "level"),
    [(0, 0), ("5", 5), ("stranger", 0), ("know by name", 1), ("acquaintance", 2), ("RelationshipType.friend", 3),
     ("romantic_relationship", 4), ("Family_Member", 5), (None, None), ("", None)],
)  # fmt: skip
def test_relationships_are_levels_or_names(value, level):
    assert people.level(value) == level


@pytest.mark.parametrize("value", [6, -1, True, "enemy", 2.5])
def test_an_unknown_relationship_is_named(value):
    with pytest.raises(ValueError, match="relationship"):
        people.level(value)


# -------------------------------------------------------------------------------------------------------- bad lines


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json}\n", "no JSON"),
        ("[1]\n", "object"),
        ('{"scenario": 5}\n', "scenario"),
        ('{"scenario": "x"}\n', "agent_goals"),
        (json.dumps({**TAGGED, "agent_goals": ["one"]}) + "\n", "agent_goals"),
        (json.dumps({**TAGGED, "agent_profiles": [{}, {}]}) + "\n", "first_name"),
        (json.dumps({**TAGGED, "agent_relationship": "enemy"}) + "\n", "enemy"),
        (json.dumps({**SOTOPIA, "social_goals": {"A": "b"}}) + "\n", "social_goals"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(family, tmp_path, line, said):
    path = write(tmp_path, TAGGED, "\n", line)
    with pytest.raises(BankError, match=rf"episodes\.jsonl:3: .*{said}"):
        list(family.read(path))


def test_what_is_not_there_is_said(family, tmp_path):
    with pytest.raises(BankError, match="not there"):
        list(family.read(tmp_path / "nowhere"))
    with pytest.raises(BankError, match="holds no file"):
        list(family.read(tmp_path))


def test_ten_thousand_episodes_are_a_stream(family, tmp_path):
    path = write(tmp_path, *({**TAGGED, "scenario": f"Gate {number % 200} is closed."} for number in range(10_000)))
    assert next(family.read(path)).id == "sotopia/test/00", "the first is there before the rest is read"
    done = subprocess.run([sys.executable, "-c", COUNTED, str(path)], check=True, capture_output=True, text=True)
    count, megabytes = map(int, done.stdout.split())
    assert count == 10_000
    assert megabytes < 300


# ------------------------------------------------------------------------------------------------- the own episodes


def test_ten_episodes_of_our_own_ship(family):
    found = family.scenarios("test", 0, None)
    assert len(found) == len({s.setting for s in found}) == 10
    assert len(family.scenarios("test", 0, 3)) == 3
    assert family.scenarios("train", 0, None) == ()
    raw = OWN.read_text()
    assert all(f"<{hint}>" in raw for hint in tags.HINTS)
    assert all(f'viewer=\\"{viewer}\\"' in raw for viewer in tags.VIEWERS)
    for scenario in found:
        world = scenario.worlds[0]
        assert {c.kind for c in world.card("first").conditions} >= {"goal", "extra_info", "profile", "secret", "reason"}
        assert len(scenario.public.facts["mcq"]) == 4
        for seat in SEATS:
            for text in shown(family, scenario, seat):
                known = scenario.public.roles[SEATS.index(other(seat))].about
                assert [o for o in private(scenario, other(seat)) if o in text and o.rstrip(".") not in known] == []


@needs_sample
def test_our_own_episodes_copy_nothing_of_the_sample():
    def goals(path):
        return {goal for line in path.read_text().splitlines() for goal in json.loads(line)["agent_goals"]}

    assert not goals(OWN) & goals(SAMPLE / "episode_hard.jsonl")


# ------------------------------------------------------------------------------------------------------------ speech


def everything(family):
    sample = list(family.read(SAMPLE)) if SAMPLE.exists() else []
    return [*family.scenarios("test", 0, None), *sample]


def test_what_is_told_is_heard_as_it_was_meant(family):
    for scenario in everything(family):
        for seat in SEATS:
            told = [c for c in scenario.a if c.owner == seat and family.tell(c, scenario.public)]
            text = " ".join(["Hello.", *(family.tell(c, scenario.public) for c in told), "What about you?"])
            heard = family.hear(text, scenario.public, seat).facts
            assert [(f.kind, f.value) for f in heard] == [(c.kind, c.value) for c in told]
            assert {c.kind for c in told} <= {"goal", "extra_info"}


@given(st.text())
def test_hearing_never_raises(text):
    Sotopia().hear(f"What I want is this: {text}", None, "first")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You are the buyer. Pay little.", "I am the buyer"),
        ("Borrow a saw for your shed.", "borrow a saw for my shed"),
        ("Extra information: it will cost you $4.50 and you'll miss yours", "it will cost me $4.50 and I'll miss mine"),
        ("You're late", "I'm late"),
    ],
)
def test_a_gist_is_what_the_owner_would_say(text, said):
    assert gist(text) == said


def test_the_prompt_names_the_five_actions_and_the_own_side(family, tagged):
    text = family.prompt(tagged.worlds[0].card("first"))
    assert all(mark in text for mark in ("[action]", "[non-verbal]", "[none]", "[leave]"))
    assert all(own in text for own in ("Ada fears heights.", "you must be home by nine", "Hint: ask about the weather"))
