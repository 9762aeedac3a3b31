"""Bounds as people state them about their share of something."""

from adidem.core.language import find_numbers, find_ranges


def test_no_more_than_belongs_to_the_number_that_follows():
    (found,) = find_ranges("I can pay at least $80 and no more than $140 of it.")
    assert (found.low, found.high) == (80, 140)


def test_absurdly_long_digits_are_no_number_and_do_not_raise():
    assert find_numbers("9" * 6000) == ()
