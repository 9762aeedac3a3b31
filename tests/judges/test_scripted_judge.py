"""The offline judge: it fills in every schema of ours from what can be counted, and says that it only counts."""

import asyncio
import json
from time import perf_counter

import pytest
from attrs import evolve
from jsonschema import Draft202012Validator

from adidem.core.domain import Turn
from adidem.core.judging.measures import measures, table
from adidem.core.judging.scripted import OPENING, scripted_ask
from adidem.core.registry.config import ModelSettings
from adidem.core.runs.judging import SCRIPTED_JUDGE, ask_of
from adidem.plugins.judges.integrity import Integrity
from adidem.plugins.judges.sotopia import NAMES, Sotopia
from adidem.plugins.judges.understanding import Understanding
from judge_helpers import in_range

CRATES = ("bounded_quantities/train/00", "a")
AGREE, DECLINE = {"outcome": "agree", "terms": {"quantity": 18}}, {"outcome": "decline"}
SAID = ("How many crates can you spare?", "I can spare 20 crates at most.", "Great, thanks: 18 crates?", "18, agreed.")
JUDGES = (Integrity(), Sotopia(), Sotopia(dimensions=("goal",)), Understanding())
MCQ = [{"question": "How many?", "options": ["none at all", "20 crates at most"], "answer": 1, "about": "second"}]


def rated(judge, case):
    return asyncio.run(judge.judge(case, scripted_ask(case)))


@pytest.fixture(scope="module")
def good(case_of):
    return case_of(*CRATES, SAID, (AGREE, AGREE))


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: f"{judge.name}-{len(judge.dimensions)}")
def test_it_meets_every_schema_and_every_rating_that_is_asked_for_is_scored(judge, good):
    met = []

    async def ask(messages, *, schema=None):
        answer = await scripted_ask(good)(messages, schema=schema)
        Draft202012Validator(schema).validate(answer.data)
        assert json.loads(answer.text) == answer.data
        met.append(schema)
        return answer

    judgement = asyncio.run(judge.judge(good, ask))
    assert len(met) == 1
    assert in_range(judge, judgement)
    assert all((r.score is None) == (r.unscored or "").startswith("not asked") for r in judgement.ratings)
    assert judgement == rated(judge, good), "the same every time"


def test_every_reasoning_says_what_it_is(good):
    for judge in JUDGES[1:]:
        for rating in rated(judge, good).ratings:
            if rating.score is not None and not rating.dimension.startswith("overall"):
                assert rating.reason.startswith(OPENING)


def test_every_dimension_of_ours_has_weights_and_none_is_idle():
    assert set(table()["dimensions"]) == {*NAMES, "unresolved_confusion", "mutual_understanding", "other"}


def test_it_tells_a_plan_from_none_and_answers_from_silence(case_of, good):
    poor = case_of(*CRATES, ("How many?", "No.", "How many?", "No."), (AGREE, DECLINE))
    for judge, dimension, seat in ((Sotopia(), "goal", "first"), (Understanding(), "mutual_understanding", None)):
        assert rated(judge, good).score(dimension, seat) > rated(judge, poor).score(dimension, seat)


def test_tone_moves_the_relationship_of_the_one_who_spoke(case_of):
    rude = case_of(*CRATES, ("You stupid, selfish, terrible man.", "I can spare 20."), (DECLINE, DECLINE))
    kind = case_of(*CRATES, ("Thank you, that is wonderful, great.", "I can spare 20."), (DECLINE, DECLINE))
    judge = Sotopia()
    assert rated(judge, rude).score("relationship", "first") < rated(judge, kind).score("relationship", "first")
    assert rated(judge, rude).score("relationship", "second") == rated(judge, kind).score("relationship", "second")


def test_integrity_flags_what_can_be_counted_with_words_that_are_there(case_of):
    said = ("I want 18.", '{"outcome": "agree"}', "I want 18.", "No.", "I want 18.", "No, sorry.")
    judgement = rated(Integrity(), case_of(*CRATES, said, (DECLINE, DECLINE)))
    assert judgement.score("integrity") == 0
    assert {(flag.kind, flag.seat, flag.supported) for flag in judgement.flags} == {
        ("format_text", "second", True),
        ("repetition", "first", True),
    }


def test_it_answers_the_scenarios_questions(good):
    public = evolve(good.world.public, facts={**good.world.public.facts, "mcq": MCQ})
    judgement = rated(Understanding(), evolve(good, world=evolve(good.world, public=public)))
    assert judgement.score("mcq") == 1


@pytest.mark.parametrize("said", [(), ("",), ("", ""), ("?" * 50, "\ud800\x00"), ("a",) * 12])
def test_any_conversation_is_measured_between_0_and_1(said, good):
    case = evolve(good, conversation=tuple(Turn(i, ("first", "second")[i % 2], t) for i, t in enumerate(said)))
    for seat in ("first", "second", None):
        assert all(0 <= value <= 1 for value in measures(case, seat).values())
    for judge in JUDGES:
        assert in_range(judge, rated(judge, case))


async def test_a_schema_of_somebody_elses_is_filled_in_too(good):
    schema = {
        "type": "object",
        "properties": {
            "warmth": {"type": "object", "properties": {"score": {"type": "number", "minimum": -1, "maximum": 1}}},
            "label": {"type": "string", "enum": ["x", "y"]},
            "text": {"type": "string"},
            "list": {"type": "array", "items": {"type": "string"}},
            "yes": {"type": "boolean"},
            "count": {"type": "integer", "minimum": 3},
        },
    }
    answer = await scripted_ask(good)([], schema=schema)
    Draft202012Validator(schema).validate(answer.data)
    assert OPENING in (await scripted_ask(good)([])).text


async def test_the_spec_of_a_run_gives_it_without_any_gateway(good):
    ask = ask_of(None, SCRIPTED_JUDGE, ModelSettings(), lambda _used: pytest.fail("nothing is used"))(good)
    judgement = await Understanding().judge(good, ask)
    assert judgement.score("mutual_understanding") is not None


async def test_judging_an_episode_with_all_three_takes_a_few_milliseconds(good):
    judges = (JUDGES[0], JUDGES[1], JUDGES[3])

    async def once():
        start = perf_counter()
        for judge in judges:
            await judge.judge(good, scripted_ask(good))
        return perf_counter() - start

    assert min([await once() for _ in range(60)]) < 0.003, "the best of many, as the machine may be busy"
