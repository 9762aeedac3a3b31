"""Utterances to try ears and barriers on: a family's own sentences, pieces of them in any order, and any text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from adidem.core.domain import SEATS
from adidem.core.kit.subject import Sample

MARKS = (",", ".", "!", "?", ";", "—", "…", "\n", '"', "(", ")", "12", "$40", "3:30", "not", "no", "yes", "or", "and")
SPOKEN = (
    "Hi there, let's sort this out together.",
    "I need at least 40 of them, and no more than 65.",
    "Could you do half past three on Friday?",
    "Yes, that works for me. Thank you.",
    "I'm afraid that doesn't work for me.",
    "Then let's leave it.",
    "What do you need from your side, and what is out of the question for you?",
    "Tell Priyanka that the blue lantern stays here. It is mine.",
)
MOST_LINES = 120


def lines_of(sample: Sample) -> tuple[str, ...]:
    """What people of a family say: every condition as it is told, questions, and some plans; shortest first."""
    found: set[str] = set()
    family = sample.family
    for _, world in sample.few:
        public = world.public
        found |= {family.tell(condition, public) for condition in world.conditions}
        ask = getattr(family, "ask", None)
        found |= {str(ask(public, seat)) for seat in SEATS} if ask is not None else set()
        if sample.kept:
            plans = sample.plans(world)
            found |= {f"How about {family.say(plan, public)}?" for plan in plans[:: max(1, len(plans) // 3)]}
    lines = sorted((line for line in found if line), key=lambda line: (len(line), line))
    return tuple(lines[:: max(1, len(lines) // MOST_LINES)])


def utterances(lines: Sequence[str]) -> SearchStrategy[str]:
    """Whole sentences, the shortest first; words and marks in any order; any text at all."""
    spoken = tuple(dict.fromkeys((*lines, *SPOKEN)))
    words = tuple(dict.fromkeys(word for line in spoken for word in line.split()))[:400]
    return st.one_of(
        st.sampled_from(spoken),
        st.lists(st.sampled_from(spoken), max_size=4).map(" ".join),
        st.lists(st.sampled_from((*MARKS, *words)), max_size=20).map(" ".join),
        st.text(max_size=80),
    )
