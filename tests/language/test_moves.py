"""Repair moves as people make them, and ordinary talk that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language.moves import MOVES, find_moves


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("What do you mean by that?", {"asks_referent"}),
        ("Which one exactly?", {"asks_referent"}),
        ("Could you be more specific about the time?", {"asks_referent"}),
        ("How many exactly?", {"asks_referent"}),
        ("Is that a yes or a no?", {"probes_gently"}),
        ("Are you saying it won't work?", {"probes_gently"}),
        ("You can tell me openly if it doesn't suit you.", {"probes_gently"}),
        ("I'm so sorry to hear that, take your time.", {"calms"}),
        ("That must be frustrating.", {"calms"}),
        ("I understand how you feel. Let's get back to the crates.", {"calms", "returns_to_topic"}),
        ("So you're saying 14 crates at most?", {"paraphrases"}),
        ("Just to confirm: 2:30 pm?", {"paraphrases"}),
        ("Did I understand you correctly, twelve?", {"paraphrases"}),
        ("How about 14 crates?", set()),
        ("Yes, that works for me.", set()),
        ("I need at least eight.", set()),
        ("", set()),
    ],
)
def test_moves_are_found(text, moves):
    assert find_moves(text) == moves


@given(st.text(max_size=300))
def test_any_text_may_come(text):
    assert find_moves(text) <= set(MOVES)
