"""Neutral scenarios: nothing that gives a goal away, everything that both need, and what a model wrote kept on disk."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.contracts import Answer
from adidem.core.errors import ConfigError, ModelFailure
from adidem.core.neutral import Matter, by_rules, leaks
from adidem.core.neutral import model as models
from adidem.core.neutral.private import amounts, bases, private_of
from adidem.core.neutral.rules import sentences
from adidem.plugins.families.sotopia import Sotopia

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "socialveil"
needs_sample = pytest.mark.skipif(not SAMPLE.exists(), reason=f"the SocialVeil sample is not at {SAMPLE}")

SALE = Matter(
    "One person is selling a red bicycle with 21 gears for $180, while another person wants to buy it. "
    "The bicycle has a new chain. The seller would take $150.",
    ("You are the buyer and your target price is $140.", "You are the seller; do not go below $150."),
    "people",
)


def test_an_offer_keeps_the_thing_and_its_price_and_loses_both_sides():
    found = by_rules(SALE)
    assert found.text == (
        "A conversation about a red bicycle with 21 gears. Listed price: $180. The bicycle has a new chain."
    )
    assert found.facts == ("21 gears", "$180")
    assert len(found.removed) == 2
    assert leaks(SALE.text, SALE.goals).amounts == ((), ("$150",))
    assert not leaks(SALE.text, SALE.goals).clean
    assert leaks(found.text, SALE.goals).clean


def test_what_gives_nothing_away_is_kept_as_it_is():
    matter = Matter("Two friends meet   at a café.\nIt rains.", ("Borrow an umbrella", "Go home dry"))
    assert by_rules(matter).text == matter.text
    assert by_rules(matter).removed == ()


def test_a_beginning_that_gives_nothing_away_stays():
    matter = Matter("Two neighbours meet in the yard to repair the fence.", ("Repair the fence", "Sell the fence"))
    assert by_rules(matter).text == "Two neighbours meet in the yard. At hand: the fence."


def test_where_nothing_may_stay_the_two_are_named_as_what_they_are():
    matter = Matter("Anna persuades Ben.", ("Persuade Ben to come", "Stay at home"), "friends")
    assert by_rules(matter).text == "A conversation between two friends."


def test_the_check_says_whose_words_amounts_verbs_and_roles_survive():
    found = leaks("The landlord hopes to raise the rent by 50 euros.", ("Raise the rent by 50 euros", "Avoid a rise"))
    assert found.verbs == (("raise",), ())
    assert found.amounts == (("50 euros",), ())
    assert found.words[0] == ("raise", "rent", "euros")
    assert leaks("The landlord smiles.", ("You are the landlord", "You are the tenant")).roles[1] == ("landlord",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$454.0 or $610.00", [(454.0, "$"), (610.0, "$")]),
        ("€1,200 in five more minutes", [(1200.0, "€"), (5.0, min(bases("minutes")))]),
        ("a 24-inch top", [(24.0, "inch")]),
        ("one of the two", [(2.0, "")][:0]),
        ("50% off", [(50.0, "%")]),
    ],
)
def test_amounts_are_read_with_their_unit(text, found):
    assert [amount.key for amount in amounts(text)] == found


@pytest.mark.parametrize(
    ("word", "base"),
    [("sharing", "share"), ("stopped", "stop"), ("carries", "carry"), ("sold", "sell"), ("tries", "try"),
     ("convinced", "convince"), ("pays", "pay"), ("lent", "lend")],
)  # fmt: skip
def test_a_form_leads_back_to_its_verb(word, base):
    assert base in bases(word)


def test_quotations_belong_to_the_sentence_that_opens_them():
    assert sentences('He says: "I am done. Buy it now!" Nobody moves at 9.30 p.m. sharp.')[0].endswith('now!"')


def everything():
    family = Sotopia()
    scenarios = [*family.scenarios("test", 0, None), *(family.read(SAMPLE) if SAMPLE.exists() else ())]
    return [(scenario, family.matter(scenario)) for scenario in scenarios]


def test_no_neutral_scenario_holds_an_amount_a_verb_or_a_role_of_either_goal():
    for scenario, matter in everything():
        assert leaks(scenario.public.story, matter.goals).clean, scenario.public.story


@needs_sample
def test_the_sample_leaves_no_private_amount_and_no_verb_that_only_a_goal_has_and_keeps_what_is_public():
    """Told with a reading of its own, so that the check is not held against itself."""
    family = Sotopia()
    for scenario in family.read(SAMPLE):
        text, matter = scenario.public.story, family.matter(scenario)
        goals = " ".join(matter.goals)
        for money in {word.strip(".,;)") for word in goals.split() if word.startswith("$")}:
            assert money.removesuffix(".0").removesuffix(".00") not in text
        verbs = "convince borrow prevent injure win decline persuade buy sell purchase negotiate maximize".split()
        words = {word.strip(".,:").lower() for word in text.split()}
        only = {verb for verb in verbs if verb in goals.lower()}
        assert not only & words
    kept = {s.setting: s.public.story for s in family.read(SAMPLE)}
    assert "$650" in kept["craigslist_bargains_00000"]
    assert all(thing in kept["divide_items"] for thing in ("3 hats", "2 balls", "1 book"))
    assert "stationery items" in kept["share_stuff"]
    assert all("seller" not in text and "buyer" not in text for text in kept.values())


@given(st.text(max_size=200), st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_made_neutral_without_an_error_and_twice_is_once(text, first, second):
    found = by_rules(Matter(text, (first, second)))
    assert leaks(found.text, (first, second)) is not None
    if not found.removed:
        assert found.text == text.strip()


@given(
    st.lists(st.sampled_from("Two people meet in a café sell buy the $50 bag. share it while who 3 hats , ".split(" ")))
)
def test_made_neutral_nothing_gives_a_goal_away(words):
    goals = ("Sell the bag for $50", "Share the 3 hats")
    text = by_rules(Matter(" ".join(words), goals)).text
    assert leaks(text, goals).clean
    assert private_of(goals[0]).amounts == {(50.0, "$")}


# ---------------------------------------------------------------------------------------------------------- by model


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "folder", lambda: tmp_path / "neutral")
    return tmp_path / "neutral"


class Model:
    def __init__(self, text):
        self.text, self.asked = text, []

    async def __call__(self, messages, *, schema=None):
        self.asked.append(messages)
        return Answer(self.text)


async def test_a_model_is_asked_once_for_each_text(cache):
    ask = Model('"Two people talk about a bicycle."')
    for _ in range(3):
        assert await models.by_model(ask, "m", SALE) == "Two people talk about a bicycle."
    assert len(ask.asked) == 1
    assert SALE.text in ask.asked[0][0]["content"]
    assert not any(goal in ask.asked[0][0]["content"] for goal in SALE.goals)
    assert models.kept("m", SALE) == "Two people talk about a bicycle."
    assert len(list(cache.iterdir())) == 1
    with pytest.raises(ConfigError, match="adidem neutralize --data PATH --model other"):
        models.kept("other", SALE)


async def test_what_a_model_leaves_in_is_taken_out_by_the_rules(cache):
    said = await models.by_model(Model("Two people meet in a shop to buy a bicycle for $140."), "m", SALE)
    assert leaks(said, SALE.goals).clean
    assert said.startswith("Two people meet in a shop")


@pytest.mark.parametrize("text", ["", "  ", "x" * 500])
async def test_an_answer_that_is_no_sentence_is_no_neutral_text_and_is_not_kept(cache, text):
    with pytest.raises(ModelFailure):
        await models.by_model(Model(text), "m", SALE)
    assert not cache.exists()


# ------------------------------------------------------------------------------------------------------ on the shell


def test_the_verb_reports_and_writes_episodes_that_are_read_again(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from adidem.core.cli.main import app

    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["neutralize", "--out", "neutral.jsonl"])
    assert done.exit_code == 0
    assert "10 of 10 without" in done.stdout
    assert "public facts that stay" in done.stdout
    entries = [json.loads(line) for line in Path("neutral.jsonl").read_text().splitlines()]
    assert all(entry["scenario_detailed"] for entry in entries)
    again = list(Sotopia(neutral="none").read(Path("neutral.jsonl")))
    assert [s.public.story for s in again] == [e["scenario"] for e in entries]
    assert CliRunner().invoke(app, ["neutralize", "--out", "neutral.jsonl"]).exit_code == 2


def test_the_verb_asks_a_model_at_temperature_0_once_a_text_and_the_family_reads_what_it_wrote(
    stub, cache, tmp_path, monkeypatch
):
    from typer.testing import CliRunner

    from adidem.core.cli.main import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    stub.answer = lambda _body: "Two people have a conversation at a table."
    words = ["neutralize", "--model", "openai/stub", "--set", f"judge.api_base={stub.url}"]
    for _ in range(2):
        assert CliRunner().invoke(app, words).exit_code == 0
    assert len(stub.bodies) == 10
    assert {body["temperature"] for body in stub.bodies} == {0}
    stories = {s.public.story for s in Sotopia(neutral="model", model="openai/stub").scenarios("test", 0, None)}
    assert stories == {"Two people have a conversation at a table."}
    with pytest.raises(ConfigError):
        Sotopia(neutral="model").scenarios("test", 0, None)
