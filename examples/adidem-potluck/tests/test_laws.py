"""Potluck keeps every law of its kind."""

import pytest


@pytest.mark.laws("adidem_potluck")
def test_it_keeps_the_law(law):
    law()
