"""Attention keeps every law of its kind."""

import pytest


@pytest.mark.laws("adidem_attention")
def test_it_keeps_the_law(law):
    law()
