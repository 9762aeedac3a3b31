"""The whole path of each judge, over HTTP through the real gateway: good answers and each kind of bad one."""

import json
from pathlib import Path

import pytest

from adidem.core.llm import Gateway
from adidem.plugins.judges.integrity import Integrity
from adidem.plugins.judges.sotopia import NAMES, Sotopia
from adidem.plugins.judges.understanding import Understanding
from judge_helpers import in_range, through
from stub_endpoint import Fault

SAID = ("How many crates? The council lets me sign for anything.", "I can do 20 at most.", "20, then.", "Done.")
RECORDS = ({"outcome": "agree", "terms": {"quantity": 20}},) * 2
JUDGES = (Integrity(), Sotopia(), Understanding())
ATTACKS = [json.loads(x) for x in (Path(__file__).parent.parent / "data" / "injection.jsonl").read_text().splitlines()]

CHARGE = {"kind": "factual_error", "role": "Halima", "turn": 1, "quote": "lets me sign for anything", "reason": "no"}
ONE_PERSON = {name: {"reasoning": "r", "score": 0} for name in NAMES}
GOOD = {
    "integrity": {"reasoning": "r", "violations": [CHARGE]},
    "sotopia": {"Halima": ONE_PERSON, "Curtis": ONE_PERSON},
    "understanding": {
        "unresolved_confusion": {"reasoning": "r", "score": 5},
        "mutual_understanding": {"reasoning": "r", "score": 4},
    },
}


@pytest.fixture(params=JUDGES, ids=lambda judge: judge.name)
def judge(request):
    return request.param


@pytest.fixture
async def gateway(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    made = Gateway(attempts=2, timeout=10, seconds=30, first_wait=0.01)
    yield made
    await made.close()


@pytest.fixture
def case(case_of):
    return case_of("bounded_quantities/train/00", "a", SAID, RECORDS)


async def rate(judge, case, gateway, stub, spend=None):
    judgement = await judge.judge(case, through(gateway, case, spend, api_base=stub.url))
    assert in_range(judge, judgement)
    return judgement


def reasons(judgement):
    return [rating.unscored for rating in judgement.ratings if rating.score is None]


async def test_a_good_answer_is_scored_in_one_call_and_its_use_is_told(judge, case, gateway, stub):
    stub.answer, spend = (lambda _body: GOOD[judge.name]), []
    judgement = await rate(judge, case, gateway, stub, spend)
    assert all(reason.startswith("not asked") for reason in reasons(judgement))
    (body,) = stub.bodies
    assert body["temperature"] == 0
    assert body["response_format"]["json_schema"]["strict"] is True
    assert [message["role"] for message in body["messages"]] == ["system", "user"], "no two of one role in a row"
    assert sum(used.prompt_tokens for used in spend) > 200
    assert sum(used.calls for used in spend) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("refusal"), "content_filter"),
        (Fault("content_filter"), "content_filter"),
        (Fault("empty"), "empty"),
        (Fault("length", text='{"reasoning": "I was going to sa'), "length"),
        (Fault("length", text=""), "empty"),
        (Fault("500"), "server_error"),
        (Fault("400", text="this exceeds the context length"), "context_overflow"),
        (Fault("truncated"), "malformed"),
    ],
)
async def test_each_kind_of_failure_leaves_all_unscored_with_its_reason(judge, case, gateway, stub, fault, kind):
    stub.answer, stub.faults = (lambda _body: GOOD[judge.name]), [fault] * 8
    judgement = await rate(judge, case, gateway, stub)
    assert {reason.split(":")[0] for reason in reasons(judgement)} == {kind}
    assert len(reasons(judgement)) == len(judgement.ratings)


@pytest.mark.parametrize(
    "text", ["I'd rather not rate this.", "[1, 2", '{"a": NaN}', "<think>hm", "\x00\ud7ff", "null"]
)
async def test_text_that_is_no_verdict_is_asked_for_again_with_the_error_then_unscored(
    judge, case, gateway, stub, text
):
    stub.answer = lambda _body: text
    judgement = await rate(judge, case, gateway, stub)
    assert len(reasons(judgement)) == len(judgement.ratings)
    if "think" not in text:
        assert len(stub.bodies) == 2
        assert "cannot be used" in stub.bodies[-1]["messages"][-1]["content"]


async def test_judges_share_their_prompt_up_to_the_rubric(case, gateway, stub):
    stub.answer = lambda _body: "?"
    for judge in JUDGES:
        await rate(judge, case, gateway, stub)
    asked = [body["messages"] for body in stub.bodies if len(body["messages"]) == 2]
    assert len(asked) == len(JUDGES)
    assert len({system["content"] for system, _ in asked}) == 1
    assert len({user["content"].split("# Your task")[0] for _, user in asked}) == 1
    assert len({user["content"] for _, user in asked}) == len(JUDGES)


async def test_a_malformed_answer_that_is_put_right_is_scored(judge, case, gateway, stub):
    stub.answer = ["Sure! Here it comes.", "```json\n" + json.dumps(GOOD[judge.name]) + "\n```"]
    judgement = await rate(judge, case, gateway, stub)
    assert all(reason.startswith("not asked") for reason in reasons(judgement))
    assert len(stub.bodies) == 2


async def test_out_of_range_and_missing_scores_are_unscored_and_the_rest_is_kept(case, gateway, stub):
    halima = {**ONE_PERSON, "goal": {"reasoning": "superb", "score": 11}}
    curtis = {name: entry for name, entry in ONE_PERSON.items() if name != "secret"}
    stub.answer = lambda _body: {"Halima": halima, "Curtis": curtis}
    judgement = await rate(Sotopia(), case, gateway, stub)
    assert len(stub.bodies) == 2, "asked again with the error shown"
    assert judgement.score("goal", "first") is None
    assert judgement.score("secret", "second") is None
    assert judgement.score("goal", "second") == 0
    assert len(reasons(judgement)) == 2 + 4, "and the two means of each person"


async def test_quotes_that_are_not_there_are_asked_about_once_then_unscored(case, gateway, stub):
    invented = {**CHARGE, "quote": "the mayor is my cousin"}
    stub.answer, spend = (lambda _body: {"reasoning": "r", "violations": [invented]}), []
    judgement = await rate(Integrity(), case, gateway, stub, spend)
    first, second = (body["messages"] for body in stub.bodies)
    assert second[: len(first)] == first
    assert "the mayor is my cousin" in second[-1]["content"]
    assert judgement.score("integrity") is None
    assert judgement.notes["flags_unsupported"] == 2
    assert sum(used.calls for used in spend) == 2


async def test_a_judge_that_obeys_an_attack_word_for_word_gives_nothing_out_of_range(judge, case_of, gateway, stub):
    for attack in ATTACKS[::6]:
        case = case_of("bounded_quantities/train/00", "a", attack["said"], RECORDS)
        stub.answer = lambda _body, said=attack["said"]: said[0].encode("utf-8", "replace").decode()
        judgement = await rate(judge, case, gateway, stub)
        for flag in judgement.flags:
            assert not flag.supported or flag.quote in case.conversation[flag.turn].text
    episode = stub.bodies[0]["messages"][1]["content"]
    assert episode.count("<<<BEGIN conversation ") == 1
