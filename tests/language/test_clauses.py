"""Sentences, clauses and folding."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import clauses, fold, sentences
from adidem.core.language.clauses import level

SENTENCES = [
    ("I need 8. You need 9.", ["I need 8.", "You need 9."]),
    ("At 9 a.m. on Monday. Are you?", ["At 9 a.m. on Monday.", "Are you?"]),
    ("Ask Dr. Chen. She knows.", ["Ask Dr. Chen.", "She knows."]),
    ("It costs 1.50 in all. Fine!", ["It costs 1.50 in all.", "Fine!"]),
    ("Really?! Yes... no", ["Really?!", "Yes...", "no"]),
    ("one\ntwo", ["one", "two"]),
    ("no end", ["no end"]),
    ("Let's say 2 p.m. Does that work?", ["Let's say 2 p.m.", "Does that work?"]),
    ("", []),
]
CLAUSES = [
    ("I can't have nuts, but the salad has to be there.", ["I can't have nuts", "but the salad has to be there."]),
    ("I need 8; you need 9.", ["I need 8", "you need 9."]),
    ("No, that is too early.", ["No", "that is too early."]),
    ("It costs 1,200 dollars.", ["It costs 1,200 dollars."]),
    ("at 9:30 sharp", ["at 9:30 sharp"]),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert [s.text for s in sentences(text)] == expected


@pytest.mark.parametrize(("text", "expected"), CLAUSES)
def test_clauses_are_cut_at_contrasts_and_commas(text: str, expected: list[str]) -> None:
    assert [c.text for c in clauses(text)] == expected


@given(st.text(max_size=300))
def test_pieces_are_the_text_in_order(text: str) -> None:
    for pieces in (sentences(text), clauses(text)):
        assert all(text[p.start : p.end] == p.text for p in pieces)
        assert all(a.end <= b.start for a, b in pairwise(pieces))
    kept = "".join("".join(s.text.split()) for s in sentences(text))
    assert kept == "".join(text.split())


@given(st.text(max_size=300))
def test_levelling_keeps_every_offset_and_folding_is_idempotent(text: str) -> None:
    assert len(level(text)) == len(text)
    assert fold(fold(text)) == fold(text)


def test_folding_hides_case_quotes_accents_and_blanks() -> None:
    assert fold("  It’s  a CAFÉ ") == "it's a cafe"
