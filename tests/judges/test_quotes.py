"""Quotes are checked against what was said: white space and quotation marks are folded, nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.domain import Turn
from adidem.core.judging import find_quote, folded, span_of

WORDS = st.text(st.sampled_from("ab.,'\"“”’ \n\t\u00a0\u2028\x1b-"), max_size=40)


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        ("18 crates", "I can do 18 crates.", "18 crates"),
        ("  18\n crates ", "I can do 18  \t crates.", "18  \t crates"),
        ('he said "yes"', "and he said “yes” to it", "he said “yes”"),
        ("don't", "I don’t know", "don’t"),
        ("'quoted'", 'so "quoted" it was', '"quoted"'),
        ("␛[1mloud", "\x1b[1mloud", "\x1b[1mloud"),
        ("\x1b[1mloud", "\x1b[1mloud", "\x1b[1mloud"),
        ("a b", "\n\n a\n\n\nb \n", "a\n\n\nb"),
    ],
)
def test_a_quote_is_found_under_the_folding_with_its_true_words(quote, text, words):
    start, end = span_of(quote, text)
    assert text[start:end] == words


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("18 Crates", "18 crates"),
        ("18 crates...", "18 crates"),
        ("18 crates", "18-crates"),
        ("18crates", "18 crates"),
        ("I can do … crates", "I can do 18 crates"),
        ("cafe", "café"),
        ("", "anything"),
        (" \n ", "any thing"),
        ("| 18 crates", "18 crates"),
    ],
)
def test_nothing_else_is_folded(quote, text):
    assert span_of(quote, text) is None


@given(WORDS, WORDS)
def test_a_found_quote_is_a_substring_under_the_folding_and_its_span_folds_to_it(quote, text):
    span = span_of(quote, text)
    assert (span is not None) == (folded(quote) != "" and folded(quote) in folded(text))
    if span is not None:
        assert folded(text[span[0] : span[1]]) == folded(quote)


@given(st.text(), st.data())
def test_every_piece_of_a_text_is_found_in_it(text, data):
    start = data.draw(st.integers(0, len(text)))
    piece = text[start : data.draw(st.integers(start, len(text)))]
    if folded(piece):
        assert span_of(piece, text) is not None


def test_the_named_turn_goes_first_then_the_persons_own_then_any():
    said = ("18 crates?", "18 crates.", "18 crates, fine.", "Good.")
    turns = tuple(Turn(i, ("first", "second")[i % 2], text) for i, text in enumerate(said))
    assert find_quote("18 crates", turns, 2, "second").turn.index == 2
    assert find_quote("18 crates", turns, 3, "second").turn.index == 1
    assert find_quote("18 crates", turns, None, None).turn.index == 0
    assert find_quote("Good", turns, 0, "first").turn.index == 3
    assert find_quote("19 crates", turns, 0, "first") is None
    assert find_quote("18 crates", turns, 99, None).words == "18 crates"
