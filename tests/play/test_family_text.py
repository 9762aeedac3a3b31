"""A family that has no words: a typed failure that names it, and never the word None in anybody's prompt."""

import asyncio

import pytest
from attrs import evolve

from adidem.core.agents.chat import ChatAgent
from adidem.core.containment import said, told
from adidem.core.contracts import Case
from adidem.core.domain import Feasibility, Task, Turn
from adidem.core.errors import ConfigError
from adidem.core.judging.prompt import episode
from adidem.core.llm import Gateway
from adidem.core.play import JudgeSeat, Setup, judged, play
from adidem.core.records import written
from adidem.core.rules import Rules
from adidem.core.runs.estimate import estimate
from adidem.core.runs.recipe import Recipe
from adidem.core.setup import load
from adidem.plugins.judges.integrity import Integrity
from adidem.plugins.judges.integrity_rules import IntegrityRules

CARDS = "family 'meeting_place': tell gave NoneType, not text"


@pytest.fixture
def mute(module):
    """The one-file family without words."""

    class Mute(module.MeetingPlace):
        def tell(self, condition, public):
            return None

        def say(self, terms, public):
            return None

    return Mute()


@pytest.fixture
def bare(scenario):
    """A scenario whose cards have no text of their own."""
    return evolve(scenario, **{name: tuple(evolve(c, text="") for c in getattr(scenario, name)) for name in "ab"})


@pytest.mark.parametrize("seat", ["first", "second"])
def test_a_model_speaker_is_never_told_none(mute, module, bare, fake, seat):
    model = ChatAgent("openai/stub", Gateway())
    agents = (model, fake()) if seat == "first" else (fake(), model)
    setup = Setup(*agents, {"meeting_place": Rules(mute, [module.ReachRules()])}, limit=2)
    found = asyncio.run(play(Task(bare, "a", "first"), setup))
    assert (found.status, found.cause.kind) == ("failed", "internal_error")
    assert CARDS in found.cause.message


def test_a_prompt_of_ones_own_must_be_text(module, scenario, fake):
    class Silent(module.MeetingPlace):
        def prompt(self, card):
            return None

    setup = Setup(ChatAgent("openai/stub", Gateway()), fake(), {"meeting_place": Rules(Silent(), [])}, limit=2)
    found = asyncio.run(play(Task(scenario, "a", "first"), setup))
    assert "family 'meeting_place': prompt gave NoneType, not text" in found.cause.message


def case_of(family, scenario, *words):
    turns = tuple(Turn(i, ("first", "second")[i % 2], text) for i, text in enumerate(words))
    return Case(scenario, scenario.world("a"), "first", family, (), turns, {}, Feasibility())


def test_a_judges_prompt_never_holds_none(mute, bare):
    wrote = dict.fromkeys(("first", "second"), written({"outcome": "decline"}, mute, bare.public))
    case = evolve(case_of(mute, bare, "Hello."), records=wrote)
    with pytest.raises(TypeError, match="tell gave NoneType"):
        episode(case)
    ((judgement,), _) = asyncio.run(judged(case, [JudgeSeat("integrity", Integrity())]))
    assert all(rating.score is None for rating in judgement.ratings)
    assert {"tell gave NoneType, not text" in rating.unscored for rating in judgement.ratings} == {True}, judgement


def test_a_rule_judge_that_must_say_a_plan_is_unscored(mute, module, scenario):
    case = case_of(mute, scenario, "Let's meet at the park.", "Agreed, the park.")
    other = next(plan.place for plan in mute.plans(scenario.world("a")) if plan.place != "the park")
    records = {
        seat: written({"outcome": "agree", "terms": {"place": place}}, mute, scenario.public)
        for seat, place in (("first", "the park"), ("second", other))
    }
    ((judgement,), _) = asyncio.run(judged(evolve(case, records=records), [JudgeSeat("rules", IntegrityRules())]))
    for rating in judgement.ratings:
        assert "None" not in rating.reason
        assert rating.score is not None or "say gave NoneType, not text" in rating.unscored
    assert not any("None" in flag.reason for flag in judgement.flags)


@pytest.mark.parametrize("gives", [None, 7, b"x", ["a"]])
def test_what_is_no_text_names_the_family(mute, bare, gives):
    mute.__class__.say = lambda *_: gives
    mute.__class__.tell = lambda *_: gives
    for call in (lambda: said(mute, None, None), lambda: told(mute, bare.a[0], None)):
        with pytest.raises(TypeError, match=f"family 'meeting_place': .* gave {type(gives).__name__}, not text"):
            call()


def test_a_dry_run_names_the_family_too(monkeypatch):
    setup = load()
    family = setup.components.get("family", "sotopia")
    monkeypatch.setattr(type(family), "prompt", lambda *_: None)
    sets = ("agent.api_base=http://127.0.0.1:1/v1",)
    recipe = Recipe("sotopia", "openai/stub", limit=1, sets=sets)
    prepared = recipe.prepared(recipe.setup())
    with pytest.raises(ConfigError, match=r"family 'sotopia' .*prompt gave NoneType, not text"):
        estimate(prepared, prepared.jobs)
