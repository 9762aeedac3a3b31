"""SOTOPIA's dimensions: published ranges for each person, a subset on demand, the two overall scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.judging import NOT_ASKED
from adidem.core.judging.rubric import read_yaml
from adidem.core.report.summary import judges
from adidem.plugins.judges import sotopia as module
from adidem.plugins.judges.sotopia import NAMES, NORMALISED, OVERALL, PUBLISHED, Sotopia
from judge_helpers import asked, broken, in_range, rated

RECORDS = ({"outcome": "decline"},) * 2
JUDGE, SUBSET = Sotopia(), Sotopia(dimensions=("relationship", "goal"))
MIDDLE = {"believability": 6, "relationship": 1, "knowledge": 5, "secret": -1, "social_rules": 0, "goal": 7}
SCORES = {**MIDDLE, "financial_and_material_benefits": 3}


@pytest.fixture(scope="module")
def case(case_of):
    return case_of("bounded_quantities/train/00", "a", ("Hello.", "No crates, sorry."), RECORDS)


def answer(first=SCORES, second=SCORES):
    return {
        name: {dimension: {"reasoning": f"{dimension}!", "score": score} for dimension, score in scores.items()}
        for name, scores in (("Halima", first), ("Curtis", second))
    }


def test_the_ranges_are_the_published_ones():
    assert {d.name: (d.low, d.high, d.scope) for d in PUBLISHED} == {
        "believability": (0, 10, "seat"),
        "knowledge": (0, 10, "seat"),
        "goal": (0, 10, "seat"),
        "relationship": (-5, 5, "seat"),
        "financial_and_material_benefits": (-5, 5, "seat"),
        "secret": (-10, 0, "seat"),
        "social_rules": (-10, 0, "seat"),
    }
    assert (OVERALL.low, OVERALL.high) == (-30 / 7, 40 / 7)
    assert set(read_yaml(module._RUBRIC.with_suffix(".yaml"))) == set(NAMES)


def test_each_person_is_rated_with_reasoning_and_the_means_follow(case):
    judgement = rated(JUDGE, case, answer(second={**SCORES, "goal": 0}))
    assert in_range(JUDGE, judgement)
    assert {name: judgement.score(name, "first") for name in NAMES} == SCORES
    assert judgement.score("goal", "second") == 0
    assert judgement.score("overall", "first") == pytest.approx(21 / 7)
    assert judgement.score("overall", "second") == pytest.approx(14 / 7)
    scaled = (6 + 6 + 5 + 9 + 10 + 8 + 7) / 70
    assert judgement.score("overall_normalised", "first") == pytest.approx(scaled)
    assert {r.reason for r in judgement.ratings if r.dimension == "secret"} == {"secret!"}


@pytest.mark.parametrize(("end", "scaled"), [("low", 0), ("high", 1)])
def test_the_ends_of_every_scale_are_the_ends_of_the_overall_scores(case, end, scaled):
    scores = {d.name: int(getattr(d, end)) for d in PUBLISHED}
    judgement = rated(JUDGE, case, answer(scores, scores))
    assert judgement.score("overall", "first") == getattr(OVERALL, end)
    assert judgement.score("overall_normalised", "second") == scaled


def test_a_subset_is_asked_for_alone_and_has_no_published_overall(case):
    ask = asked(SUBSET, case)
    assert list(ask.schemas[0]["properties"]["Halima"]["properties"]) == ["relationship", "goal"]
    judgement = rated(SUBSET, case, answer())
    assert in_range(SUBSET, judgement)
    assert judgement.score("overall_normalised", "first") == pytest.approx((6 / 10 + 7 / 10) / 2)
    (reason,) = {r.unscored for r in judgement.ratings if r.dimension == "overall"}
    assert reason.startswith(NOT_ASKED)


def test_a_report_does_not_count_as_unscored_what_nobody_asked_for(case):
    rows = [
        {"judge": "sotopia", "dimension": r.dimension, "score": r.score, "unscored": r.unscored}
        for r in rated(SUBSET, case, answer(first={**SCORES, "goal": 99})).ratings
    ]
    counted = judges(rows, [], [], {})["sotopia"]
    assert (counted["ratings"], counted["unscored"]) == (6, 2), "goal and the normalised mean of one person"


@pytest.mark.parametrize("name", NAMES)
def test_every_dimension_can_be_asked_for_alone(case, name):
    judgement = rated(Sotopia(dimensions=(name,)), case, answer())
    assert judgement.score(name, "second") == SCORES[name]


def test_a_missing_or_wrong_score_leaves_the_rest_and_takes_the_overall(case):
    first = {**SCORES, "goal": 11}
    second = {name: score for name, score in SCORES.items() if name != "secret"}
    judgement = rated(JUDGE, case, broken(answer(first, second), message="misses something"))
    assert in_range(JUDGE, judgement)
    assert judgement.score("relationship", "first") == 1
    reasons = {(r.dimension, r.seat): r.unscored for r in judgement.ratings if r.unscored}
    assert set(reasons) == {
        (dimension, seat)
        for seat, missing in (("first", "goal"), ("second", "secret"))
        for dimension in (missing, "overall", "overall_normalised")
    }
    assert "out of the range 0 to 10" in reasons["goal", "first"]
    assert "misses something" in reasons["secret", "second"]
    assert reasons["overall", "first"] == "unscored: goal"


@pytest.mark.parametrize("kind", ["content_filter", "length", "empty", "malformed"])
def test_a_failure_leaves_all_unscored_with_its_kind(case, kind):
    judgement = rated(JUDGE, case, broken(kind=kind))
    assert in_range(JUDGE, judgement)
    assert {r.unscored.split(":")[0] for r in judgement.ratings} == {kind}
    assert len(judgement.ratings) == 18


def test_no_dialogue_is_unscored(case_of):
    case = case_of("bounded_quantities/train/00", "a", (), RECORDS, dialogue=False)
    assert {r.unscored for r in rated(JUDGE, case, answer()).ratings} == {"there was no dialogue"}


@pytest.mark.parametrize(("names", "word"), [((), "at least one"), (("gaol",), "'goal'"), (("goal", "goal"), "twice")])
def test_a_wrong_subset_is_refused(names, word):
    with pytest.raises(ValueError, match=word):
        Sotopia(dimensions=names)


VALUES = st.one_of(st.none(), st.booleans(), st.integers(-12, 12), st.integers(), st.floats(), st.text(max_size=5))
ENTRY = st.one_of(VALUES, st.fixed_dictionaries({}, optional={"score": VALUES, "reasoning": VALUES}))
PERSON = st.one_of(
    VALUES, st.dictionaries(st.sampled_from(NAMES), ENTRY), st.fixed_dictionaries(dict.fromkeys(NAMES, ENTRY))
)
ANSWERS = st.one_of(VALUES, st.lists(VALUES), st.dictionaries(st.sampled_from(["Halima", "Curtis", "first"]), PERSON))


@given(ANSWERS, st.booleans(), st.sampled_from([JUDGE, SUBSET]))
def test_no_answer_raises_or_gives_a_number_outside_its_range(case, data, misses, judge):
    judgement = rated(judge, case, broken(data) if misses else data)
    assert in_range(judge, judgement)


@given(st.fixed_dictionaries({d.name: st.floats(d.low, d.high) for d in PUBLISHED}))
def test_the_overall_scores_of_any_scores_are_in_their_ranges(case, scores):
    judgement = rated(JUDGE, case, answer(scores, scores))
    assert OVERALL.low <= judgement.score("overall", "first") <= OVERALL.high
    assert NORMALISED.low <= judgement.score("overall_normalised", "first") <= NORMALISED.high
