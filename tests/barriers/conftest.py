"""The test tasks of the suite hico."""

import pytest

from adidem.core.runs.scenarios import select
from adidem.core.setup import load


@pytest.fixture(scope="session")
def selection():
    setup = load()
    return select(setup, setup.suite("hico"))
