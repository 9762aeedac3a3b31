"""What was settled aloud: offers stand until accepted, turned down or replaced."""

import pytest

from adidem.core.domain import Turn
from adidem.core.listening import settled_in


@pytest.fixture
def stands(meeting):
    family = meeting.MeetingPlace()
    public = family.scenarios("train", 0, 1)[0].public

    def after(*said):
        turns = tuple(Turn(i, "first" if i % 2 == 0 else "second", text) for i, text in enumerate(said))
        now = settled_in(family, public, turns)
        terms = now.terms if now.outcome else now.offer
        return now.outcome, getattr(terms, "place", terms)

    return after


def test_an_offer_stands_until_answered(stands):
    assert stands("How about meeting at the park?") == (None, "the park")


def test_an_accepted_offer_is_settled(stands):
    assert stands("How about meeting at the park?", "Yes, that works for me.") == ("agree", "the park")


def test_saying_the_others_plan_again_accepts_it(stands):
    assert stands("How about meeting at the park?", "Then it's meeting at the park.") == ("agree", "the park")


def test_a_counter_offer_replaces_the_offer(stands):
    said = ("How about meeting at the park?", "I'd rather suggest meeting at the museum.")
    assert stands(*said) == (None, "the museum")
    assert stands(*said, "Agreed.") == ("agree", "the museum")


def test_nobody_accepts_their_own_offer(stands):
    said = ("How about meeting at the park?", "Hm, let me think about it.", "That works for me.")
    assert stands(*said) == (None, "the park")


def test_a_refused_offer_is_off_the_table(stands):
    assert stands("How about meeting at the park?", "I'm afraid that doesn't work for me.") == (None, None)


def test_pleasantries_leave_an_agreement_alone(stands):
    said = ("How about meeting at the park?", "Deal.", "Great, thank you. Talk soon.")
    assert stands(*said) == ("agree", "the park")


def test_repeating_the_agreed_plan_leaves_it_agreed(stands):
    said = ("How about meeting at the park?", "Deal.", "So, meeting at the park. See you.")
    assert stands(*said) == ("agree", "the park")


def test_a_new_plan_opens_an_agreement_again(stands):
    said = ("How about meeting at the park?", "Deal.", "On second thoughts, how about meeting at the museum?")
    assert stands(*said) == (None, "the museum")


def test_a_decline_ends_the_matter_unless_a_plan_follows(stands):
    said = ("How about meeting at the park?", "We can't make this work, let's leave it.")
    assert stands(*said) == ("decline", None)
    assert stands(*said, "Wait, what about meeting at the museum?") == (None, "the museum")


def test_an_empty_conversation_settles_nothing(stands):
    assert stands() == (None, None)
    assert stands("", "") == (None, None)
