"""The command line in process, and a run of the one-file family from outside."""

from pathlib import Path

import pytest

OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"


@pytest.fixture
def meeting():
    """The words that bring the one-file family in."""
    return "--plugin", str(OUTSIDE), "--family", "meeting_place"
