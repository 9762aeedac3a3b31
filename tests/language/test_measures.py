"""What is counted in an utterance, and where it names something specific."""

import pytest
from hypothesis import given

from adidem.core.language.clauses import level
from adidem.core.language.measures import MEASURES, SHARES, measures
from adidem.core.language.scan import _cut, _cut_whole, scan
from barrier_talk import UTTERANCES

REFERENCES = [
    ("I need at least 40 minutes, but never more than 65.", ["number 40 minutes", "number 65"]),
    ("How about $300 from Halina and $540 from Gareth?", "number $300|name Halina|number $540|name Gareth".split("|")),
    (
        "The rota leaves me 10:30 to 2:00 and 3:00 to 6:30.",
        ["item The rota", "time 10:30 to 2:00", "time 3:00 to 6:30"],
    ),
    ("It is between 11:30 and 1:30.", ["time 11:30 and 1:30"]),
    ("It takes me an hour and a half.", ["number an hour and a half"]),
    ("It takes an hour and 20 minutes.", ["number an hour and 20 minutes"]),
    ("Two hours and forty five minutes or so.", ["number Two hours and forty five minutes"]),
    ("An hour and twenty, then.", ["number An hour and twenty"]),
    ("I have an hour and 3 crates.", ["number an hour", "number 3 crates"]),
    ("Say two hundred and forty at 2 p.m. on Friday.", ["number two hundred and forty", "time 2 p.m.", "time friday"]),
    ("I must have coral, turquoise and lime green.", ["item coral", "item turquoise", "item lime green"]),
    ("I have to drop the traffic bulletin.", ["item the traffic bulletin"]),
    ("Hi Priyanka, let's sort this out together.", []),
    ("That other thing, or the one from before, you know.", []),
    ("IBM pays. Tom pays.", ["name IBM"]),
    ("Nothing of this. And this one?", []),
]


@pytest.mark.parametrize(("text", "wanted"), REFERENCES)
def test_specific_references_by_the_table(text, wanted):
    found = [f"{r.kind} {text[r.start : r.end]}" for r in scan(text).references]
    assert [f.lower() for f in found] == [w.lower() for w in wanted]


COUNTS = [
    ("Sort of, I guess.", {"hedges": 2, "first_person": 1}),
    ("It's kind of more or less done, or something like that.", {"hedges": 3}),
    ("What sort? Of that I'm sure.", {"hedges": 0, "reference_pronouns": 1, "questions_asked": 1, "sentences": 2}),
    ("This kind offer is of no use.", {"hedges": 0, "reference_pronouns": 1}),
    ("I’ve told them it’s mine!", {"first_person": 2, "reference_pronouns": 2, "exclamations": 1}),
    ("You are very kind; thank you, and forgive me.", {"politeness": 3}),
    ("At 3 p.m. we go. Do you?", {"sentences": 2, "questions_asked": 1}),
    ("Yes.", {"questions_answered": 1, "directness": 1}),
    ("We'll think about it.", {"questions_answered": 0, "directness": 0}),
    ("It takes 40 minutes.", {"questions_answered": 1}),
    ("Is it 40 minutes?", {"questions_answered": 0}),
    ("Maybe. It is 12.", {"directness": 0.5}),
    ("", dict.fromkeys(MEASURES, 0)),
    ("…", {"sentences": 0, "directness": 0}),
]


@pytest.mark.parametrize(("text", "wanted"), COUNTS)
def test_counts_by_the_table(text, wanted):
    found = measures(text)
    assert {name: found[name] for name in wanted} == wanted


@given(UTTERANCES)
def test_every_measure_is_in_its_range_for_any_text(text):
    found = measures(text)
    assert tuple(found) == MEASURES
    assert -1 <= found["sentiment"] <= 1
    assert all(0 <= found[name] <= 1 for name in SHARES)
    for name in set(MEASURES) - set(SHARES) - {"sentiment"}:
        assert found[name] >= 0
        assert found[name] == int(found[name])
    assert found["questions_asked"] + found["exclamations"] <= 2 * found["sentences"]


@given(UTTERANCES)
def test_cutting_at_blanks_first_comes_to_the_same(text):
    low = level(text).replace("\n", " ")
    assert _cut(low) == _cut_whole(low)


@given(UTTERANCES)
def test_places_lie_in_order_in_the_text_and_overlap_nowhere(text):
    at = scan(text)
    ends = [0]
    for reference in at.references:
        assert ends[-1] <= reference.start < reference.end <= len(text)
        ends.append(reference.end)
    for sentence in at.sentences:
        assert 0 <= sentence.start < sentence.end <= sentence.close <= len(text)
