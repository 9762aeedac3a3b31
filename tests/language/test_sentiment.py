"""VADER's compound score by a shorter way: what the package itself says, for any text."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.language.sentiment import compound
from barrier_talk import UTTERANCES


def test_sentiment_is_vaders_compound():
    assert compound("I love this, it's wonderful!") > 0.5
    assert compound("I hate this, it's awful!") < -0.5
    assert compound("The van is in the yard.") == 0


VALENCED = st.lists(
    st.sampled_from(
        """not never no without don't isn't love hate GREAT great kind of but sort least very extremely barely ! !! ? :)
        happy sad awful fine the and bus stop to die for this so uber least or nor at good BAD, "lovely" doubt VERY
        yeah right kiss death beating heart bad ass badass just enough kinda bomb shit ISN'T nothing 14:30 $85 van
        worse... “lovely” naïve — great… \U0001f600""".split()
    ),
    max_size=14,
).map(" ".join)


@settings(max_examples=300)
@given(st.one_of(VALENCED, UTTERANCES, st.text(max_size=40)))
def test_the_short_way_to_a_compound_score_comes_to_the_librarys(text):
    assert compound(text) == package().polarity_scores(text)["compound"]


@pytest.mark.parametrize(
    "text", ["", " ", "but", "no good", "never so good", "least good", "at least it is good", "kind of", "NO"]
)
def test_the_short_way_is_the_same_at_the_edges(text):
    assert compound(text) == package().polarity_scores(text)["compound"]


@cache
def package():
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
