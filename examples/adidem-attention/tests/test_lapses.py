"""What a lapse does to a sentence, and the severities at which it starts."""

from itertools import pairwise
from random import Random

import pytest
from adidem_attention import Attention, texts

LINE = "I need at least forty of the crates on Friday. No."


def test_the_second_half_of_a_sentence_is_lost_and_said_to_be():
    said = Attention(rate=1.0).distort(LINE, 1.0, Random(0))
    assert said.startswith("I need at least forty… ")
    assert "Friday" not in said
    assert said.endswith(" No."), "short sentences are over before a mind can wander"
    assert Attention().measure(said) == {"lapses": 1.0}


@pytest.mark.parametrize("severity", [0.0, 0.05, 0.09])
def test_below_the_first_band_nothing_changes(severity):
    assert Attention().distort(LINE, severity, Random(0)) == LINE
    assert Attention().directive(severity).empty


def test_each_band_asks_for_no_fewer_lapses_than_the_one_before():
    bands = texts()["bands"]
    assert [band["from"] for band in bands] == sorted(band["from"] for band in bands)
    for one, two in pairwise(bands):
        assert two["lapses"][0] >= one["lapses"][0]
        assert two["lapses"][1] >= one["lapses"][1]


def test_the_rate_is_an_option():
    with pytest.raises(ValueError, match="must be <= 1"):
        Attention(rate=1.2)
