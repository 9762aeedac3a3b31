"""Near-identical utterances, and output format in speech."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language import same_content, similarity, structured_text

SAME = [
    ("I can do 40 crates.", "I can do 40 crates!"),
    ("I can do 40 crates.", "I can do forty crates."),
    ("See you at 2:30 pm then.", "See you at 14:30 then."),
    ("Could you tell me what you need?", "could you tell me what you need"),
    ("That doesn't work for me, sorry.", "That doesn’t work for me, sorry."),
    ("I really need at least 8 crates, please.", "I really do need at least 8 crates, please."),
    ("Let's find something that works for both of us.", "Let us find something that works for both of us."),
    ("$1,200 is my limit.", "1200 is my limit."),
]
DIFFERENT = [
    ("I can do 40 crates.", "I can do 41 crates."),
    ("See you at 2:30 pm then.", "See you at 2:45 pm then."),
    ("That works for me.", "That never works for me."),
    ("I can do that.", "I can't do that."),
    ("I need at least 8 crates.", "What a lovely day it is today!"),
    ("from 9 to 11", "from 9 to 12"),
    ("It takes 40 minutes.", "It takes 50 minutes."),
    ("40 for you, 60 for me", "60 for you, 40 for me"),
]
FORMAT = [
    '{"outcome": "agree", "terms": {"quantity": 4}}',
    'Sure. {"outcome": "decline"}',
    '{"outcome": "agree", "terms": {"quantity": 4',
    "{'quantity': 4}",
    '"outcome": "agree"',
    "outcome: agree",
    "Outcome: **agree**",
    "```json\n{}\n```",
    "```\nanything",
    "<record>agree</record>",
    "</answer>",
    "<|im_end|>",
    "- quantity: 5\n- outcome: agree",
    "* **Start**: 9:00\n* **End**: 10:00",
    "start: 9:00\nend: 10:00",
    "Record: we agree on 40",
    "**Record:**\nwe agree",
    "## Final plan",
    "approved_by: Ms Chen",
    "start_time = 9:00",
    "Okay!\nJSON: {}",
    "1. shares: 40 and 60",
]
SPEECH = [
    "My answer: no.",
    "Prices: apples 3, pears 4.",
    'I said "yes" and meant it :)',
    "Note: I need 4 (or 5).",
    "The plan: 9 to 10 :-)",
    "I have two points:\n- I need 8\n- you need 9",
    "Apples: 3 dollars\nPears: 4 dollars",
    "Here's the thing: I can't go above 14.",
    "For the record, I said 40.",
    "On the record: no, I did not.",
    "I start: you follow.",
    "Meet at 9:30 <- that's best",
    "I <3 this plan",
    "8 < 14",
    "We agree: it is 40.",
    "The decision: up to you.",
    "The result: nobody was happy.",
    "#1 on my list is cake",
    "a_b",
    "(see above)",
    "it's a 50:50 split",
    "Items I need: cake and soup.",
    "To sum up: 40 for you; 60 for me.",
    "",
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_the_same_in_nearly_the_same_words_is_the_same(a: str, b: str) -> None:
    assert same_content(a, b)
    assert similarity(a, b) > 0.8


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_another_number_time_or_negation_is_another_content(a: str, b: str) -> None:
    assert not same_content(a, b)


@pytest.mark.parametrize("text", FORMAT)
def test_output_format_is_found(text: str) -> None:
    spans = structured_text(text)
    assert spans
    assert all(text[s.start : s.end] == s.text for s in spans)


@pytest.mark.parametrize("text", SPEECH)
def test_ordinary_speech_is_no_output_format(text: str) -> None:
    assert structured_text(text) == ()


@given(st.text(max_size=100), st.text(max_size=100))
def test_similarity_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert 0 <= similarity(a, b) <= 1
    assert similarity(a, b) == pytest.approx(similarity(b, a))
    assert similarity(a, a) == 1
    assert same_content(a, a)
    assert same_content(a, b) == same_content(b, a)


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_utterances_that_differ_in_a_number_are_never_the_same(a: int, b: int) -> None:
    assert same_content(f"I could do {a} crates.", f"I could do {b} crates.") == (a == b)
