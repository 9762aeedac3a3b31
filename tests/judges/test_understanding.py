"""Unresolved confusion, mutual understanding, and questions that the conversation must answer."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.judging import NOT_ASKED, questions
from adidem.plugins.judges.understanding import Understanding
from judge_helpers import broken, in_range, rated

SAID = ("I need at least 16 crates for the kitchen.", "I can spare 20.", "18 it is.")
RECORDS = ({"outcome": "decline"},) * 2
JUDGE = Understanding()
SCORES = {
    "unresolved_confusion": {"reasoning": "clear", "score": 4},
    "mutual_understanding": {"reasoning": "same", "score": 2},
}
MCQ = [
    {"question": "Why does she ask?", "options": ["A feast", "The kitchen"], "answer": 1, "about": "first"},
    {"question": "What can he do?", "options": ["20", "40", "60"], "answer": "20", "about": "second"},
]


@pytest.fixture(scope="module")
def case(case_of):
    return case_of("bounded_quantities/train/00", "a", SAID, RECORDS)


@pytest.fixture(scope="module")
def quiz(case):
    return with_mcq(case, MCQ)


def with_mcq(case, mcq):
    public = evolve(case.world.public, facts={**case.world.public.facts, "mcq": mcq})
    return evolve(case, world=evolve(case.world, public=public))


def answers(*pairs):
    return {**SCORES, "answers": {f"q{n}": {"quote": q, "answer": a} for n, (q, a) in enumerate(pairs, 1)}}


def test_both_scores_are_read_and_questions_are_not_asked_where_there_are_none(case):
    judgement = rated(JUDGE, case, SCORES)
    assert in_range(JUDGE, judgement)
    assert (judgement.score("unresolved_confusion"), judgement.score("mutual_understanding")) == (4, 2)
    assert judgement.ratings[-1].unscored == f"{NOT_ASKED}the scenario has no questions"


@pytest.mark.parametrize(
    ("pairs", "share", "supported"),
    [
        ((("for the kitchen", "B"), ("I can spare 20", "A")), 1.0, [True, True]),
        ((("for the kitchen", "B"), ("", "none")), 0.5, [True]),
        ((("for the kitchen", "A"), ("I can spare 20", "A")), 0.5, [True, True]),
        ((("for her feast", "B"), ("I can spare 20", "A")), 0.5, [False, True]),
        ((("", "B"), (None, "A")), 0.0, [False, False]),
    ],
)
def test_an_answer_is_right_where_words_that_were_said_show_it(quiz, pairs, share, supported):
    judgement = rated(JUDGE, quiz, answers(*pairs))
    assert in_range(JUDGE, judgement)
    assert judgement.score("mcq") == share
    assert [flag.supported for flag in judgement.flags] == supported
    assert judgement.notes["flags_unsupported"] == supported.count(False)
    assert judgement.notes["mcq_right"] == share * 2


@pytest.mark.parametrize(
    "data", [SCORES, {**SCORES, "answers": []}, answers(("x", "B")), answers(("x", "B"), ("y", "Z"))]
)
def test_a_missing_answer_leaves_the_questions_unscored_and_keeps_the_scores(quiz, data):
    judgement = rated(JUDGE, quiz, broken(data))
    assert judgement.score("mcq") is None
    assert "no answer" in judgement.ratings[-1].unscored
    assert judgement.score("unresolved_confusion") == 4


def test_wrong_scores_are_unscored_one_by_one(case):
    judgement = rated(JUDGE, case, broken({**SCORES, "mutual_understanding": {"score": 0}}))
    assert judgement.score("unresolved_confusion") == 4
    assert "out of the range 1 to 5" in judgement.ratings[1].unscored


@pytest.mark.parametrize("kind", ["content_filter", "length", "empty", "malformed"])
def test_a_failure_leaves_all_unscored_with_its_kind(quiz, kind):
    judgement = rated(JUDGE, quiz, broken(kind=kind))
    assert in_range(JUDGE, judgement)
    assert {r.unscored.split(":")[0] for r in judgement.ratings} == {kind}


def test_no_dialogue_is_unscored(case_of):
    case = case_of("bounded_quantities/train/00", "a", (), RECORDS, dialogue=False)
    assert {r.unscored for r in rated(JUDGE, case, SCORES).ratings} == {"there was no dialogue"}


@pytest.mark.parametrize(
    "mcq",
    [
        "Why?",
        7,
        ["Why?"],
        [{**MCQ[0], "answer": 2}],
        [{**MCQ[0], "answer": True}],
        [{**MCQ[0], "answer": "No such option"}],
        [{**MCQ[0], "options": ["one"]}],
        [{**MCQ[0], "about": "third"}],
        [{**MCQ[0], "question": None}],
    ],
)
def test_ill_formed_questions_are_named_and_not_asked(case, mcq):
    broken_case = with_mcq(case, mcq)
    assert isinstance(questions(broken_case.world.public), str)
    judgement = rated(JUDGE, broken_case, SCORES)
    assert "mcq" in judgement.ratings[-1].unscored or "ill-formed" in judgement.ratings[-1].unscored
    assert judgement.score("mutual_understanding") == 2


KEYS = st.sampled_from(
    ["unresolved_confusion", "mutual_understanding", "score", "reasoning", "answers", "q1", "q2", "quote", "answer"]
)
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 8), st.floats(), st.text(max_size=5), st.sampled_from(["A", "none", "20"])
)
ANY = st.recursive(LEAVES, lambda i: st.lists(i, max_size=2) | st.dictionaries(KEYS, i, max_size=5), max_leaves=15)


@given(ANY, st.booleans())
def test_no_answer_raises_or_gives_a_number_outside_its_range(quiz, data, misses):
    judgement = rated(JUDGE, quiz, broken(data) if misses else data)
    assert in_range(JUDGE, judgement)
    for flag in judgement.flags:
        assert not flag.supported or flag.quote in quiz.conversation[flag.turn].text
