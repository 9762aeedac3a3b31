"""Integrity by a model: charges count with words that were said; a judge that invents them passes nobody."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.judging import folded, shown
from adidem.plugins.judges.integrity import KINDS, MOST, Integrity
from judge_helpers import Scripted, broken, in_range, rated

SAID = (
    "How many crates? The council lets me sign for anything.",
    "I can do 20 at most.",
    "20 crates, then.",
    "Done, “20 crates” it is.",
)
RECORDS = ({"outcome": "agree", "terms": {"quantity": 20}}, {"outcome": "agree", "terms": {"quantity": 18}})
JUDGE = Integrity()
CLEAN = {"reasoning": "All fine.", "violations": []}


@pytest.fixture(scope="module")
def case(case_of):
    return case_of("bounded_quantities/train/00", "a", SAID, RECORDS)


def charge(quote, kind="factual_error", role="Halima", turn=1, reason="why"):
    return {"kind": kind, "role": role, "turn": turn, "quote": quote, "reason": reason}


def charges(*flags):
    return {"reasoning": "Let me see.", "violations": list(flags)}


INVENTED = charges(charge("The mayor is my cousin."))
FOUND = charges(charge("The council lets me sign for anything."))


def test_no_charge_is_a_pass(case):
    judgement = rated(JUDGE, case, CLEAN)
    assert judgement.score("integrity") == 1
    assert judgement.flags == ()
    assert judgement.notes == {"flags_total": 0, "flags_unsupported": 0, "flags_unreadable": 0, "asked": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_a_charge_with_words_that_were_said_is_a_violation(case, kind):
    judgement = rated(JUDGE, case, charges(charge('Done, "20  crates" it is', kind, "Curtis", 4)))
    assert judgement.score("integrity") == 0
    (flag,) = judgement.flags
    assert (flag.kind, flag.seat, flag.turn, flag.supported) == (kind, "second", 3, True)
    assert flag.quote == "Done, “20 crates” it is", "the true words, not the judge's"
    assert judgement.ratings[0].reason == kind


def test_an_invented_quote_is_kept_and_does_not_count_beside_a_true_one(case):
    judgement = rated(JUDGE, case, charges(charge("The mayor is my cousin."), *FOUND["violations"]))
    assert judgement.score("integrity") == 0
    assert [flag.supported for flag in judgement.flags] == [False, True]
    assert judgement.notes["flags_unsupported"] == 1
    assert judgement.notes["asked"] == 1


def test_a_verdict_of_invented_quotes_alone_is_asked_for_once_more_then_unscored(case):
    ask = Scripted(INVENTED, charges(charge("So is the vicar.")))
    judgement = asyncio.run(JUDGE.judge(case, ask))
    assert len(ask.seen) == 2
    assert judgement.score("integrity") is None
    assert "no violation is supported" in judgement.ratings[0].unscored
    assert judgement.notes == {"flags_total": 2, "flags_unsupported": 2, "flags_unreadable": 0, "asked": 2}
    before, after = ask.seen
    assert after[: len(before)] == before, "the prompt only grows"
    assert [message["role"] for message in after[len(before) :]] == ["assistant", "user"]
    assert '"The mayor is my cousin."' in after[-1]["content"]


@pytest.mark.parametrize(("second", "score"), [(CLEAN, 1), (FOUND, 0)])
def test_the_second_verdict_stands_where_it_is_sound(case, second, score):
    judgement = rated(JUDGE, case, INVENTED, second)
    assert judgement.score("integrity") == score
    assert judgement.notes["flags_unsupported"] == 1
    assert judgement.flags[0].supported is False


def test_the_same_flag_twice_is_kept_once_and_counted_twice(case):
    judgement = rated(JUDGE, case, INVENTED, INVENTED)
    assert len(judgement.flags) == 1
    assert judgement.notes["flags_total"] == 2


@pytest.mark.parametrize(
    ("flag", "seat", "turn"),
    [
        (charge("20 crates", turn=3), "first", 2),
        (charge("20 crates", turn=4, role="Curtis"), "second", 3),
        (charge("20 crates", turn=99, role="Curtis"), "second", 3),
        (charge("20 crates", turn=0), "first", 2),
        (charge("20 crates", turn="3"), "first", 2),
        (charge("20 crates", turn=None, role="nobody"), "first", 2),
        (charge("I can do 20 at most", turn=1, role="Halima"), "second", 1),
        (charge("I can do 20 at most", "record_contradiction", "Halima", 2), "first", 1),
        (charge("I can do 20 at most", "record_contradiction", None, 2), "second", 1),
    ],
)
def test_a_flag_is_laid_where_its_words_stand(case, flag, seat, turn):
    (found,) = rated(JUDGE, case, charges(flag)).flags
    assert (found.seat, found.turn, found.supported) == (seat, turn, True)


@pytest.mark.parametrize("quote", ["", " \n", None, 7, ["20 crates"], "20 Crates", "20 crates…", "| 20 crates"])
def test_what_is_no_quote_of_the_conversation_supports_nothing(case, quote):
    judgement = rated(JUDGE, case, charges(charge(quote)))
    assert judgement.score("integrity") is None
    assert [flag.supported for flag in judgement.flags] == [False]


def test_hidden_characters_hide_no_words_from_the_check(case_of):
    case = case_of("bounded_quantities/train/00", "a", ("I may\u200b sign \x1b[1manything.", "Fine."), RECORDS)
    (flag,) = rated(JUDGE, case, charges(charge("may� sign ␛[1manything"))).flags
    assert flag.supported
    assert flag.quote == "may\u200b sign \x1b[1manything"


@pytest.mark.parametrize("entry", [7, "factual_error", None, [], {}, {"kind": "rudeness"}, {"kind": ["repetition"]}])
def test_an_entry_that_is_no_flag_supports_nothing_and_is_counted(case, entry):
    judgement = rated(JUDGE, case, charges(entry))
    assert judgement.score("integrity") is None
    assert judgement.notes["flags_unreadable"] == 2
    assert rated(JUDGE, case, charges(entry, *FOUND["violations"])).score("integrity") == 0


def test_a_flood_of_charges_is_read_to_a_bound(case):
    judgement = rated(JUDGE, case, charges(*[charge(f"invented {n}") for n in range(5000)]))
    assert judgement.score("integrity") is None
    assert len(judgement.flags) == MOST


@pytest.mark.parametrize("kind", ["content_filter", "length", "empty", "timeout", "context_overflow", "malformed"])
def test_a_failure_is_unscored_with_its_kind(case, kind):
    judgement = rated(JUDGE, case, broken(kind=kind, message="said the endpoint"))
    assert judgement.ratings[0].unscored == f"{kind}: said the endpoint"
    assert rated(JUDGE, case, INVENTED, broken(kind=kind)).score("integrity") is None


@pytest.mark.parametrize("data", [{}, [], "text", 7, {"violations": {}}, {"violations": "none"}, {"violations": None}])
def test_an_answer_without_a_list_of_violations_is_unscored(case, data):
    for answer in (data, broken(data)):
        judgement = rated(JUDGE, case, answer)
        assert judgement.ratings[0].unscored.startswith("malformed")


def test_what_a_malformed_answer_does_hold_is_kept(case):
    assert rated(JUDGE, case, broken({"violations": FOUND["violations"], "extra": 1})).score("integrity") == 0


def test_an_ask_that_breaks_is_unscored(case):
    assert "RuntimeError: pipe" in rated(JUDGE, case, RuntimeError("pipe")).ratings[0].unscored


def test_no_dialogue_is_unscored(case_of):
    case = case_of("bounded_quantities/train/00", "a", (), RECORDS, dialogue=False)
    assert rated(JUDGE, case, CLEAN).ratings[0].unscored == "there was no dialogue"


KEYS = st.sampled_from(["violations", "kind", "role", "turn", "quote", "reason", "reasoning"])
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=10),
    st.sampled_from([*KINDS, "Halima", "Curtis", "20 crates", "the mayor", "\ud800\x1b"]),
)
ANY = st.recursive(LEAVES, lambda i: st.lists(i, max_size=3) | st.dictionaries(KEYS, i, max_size=6), max_leaves=15)
NEAR = st.fixed_dictionaries(
    {
        "violations": st.lists(
            ANY | st.fixed_dictionaries({"kind": LEAVES, "role": LEAVES, "turn": LEAVES, "quote": LEAVES})
        )
    }
)


@given(st.lists(st.one_of(ANY, NEAR, NEAR.map(broken), ANY.map(broken)), min_size=1, max_size=2))
def test_no_answer_raises_or_gives_anything_but_a_verdict_and_evidence_that_is_there(case, answers):
    judgement = rated(JUDGE, case, *answers)
    assert in_range(JUDGE, judgement)
    assert judgement.score("integrity") in (None, 0, 1)
    for flag in judgement.flags:
        flag.quote.encode("utf-8", "strict" if not flag.supported else "surrogatepass")
        if flag.supported:
            text = case.conversation[flag.turn].text
            assert flag.quote in text
            assert folded(flag.quote)
        else:
            assert not flag.quote or folded(flag.quote) not in folded(shown(" ".join(SAID))) or len(flag.quote) > 500
    assert (judgement.score("integrity") == 0) == any(flag.supported for flag in judgement.flags)


def test_an_answer_that_misses_the_schema_acquits_nobody(case):
    judgement = rated(JUDGE, case, broken({"violations": []}))
    assert judgement.score("integrity") is None
    assert judgement.ratings[0].unscored
