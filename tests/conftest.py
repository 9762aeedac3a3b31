"""What all tests share: Hypothesis never fails a test for being slow, since no test depends on a clock; and a model
endpoint of our own (`stub`), with answers and faults by script."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("adidem", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("adidem-ci", parent=settings.get_profile("adidem"), derandomize=True)
settings.load_profile("adidem-ci" if os.environ.get("CI") else "adidem")

sys.path.append(str(Path(__file__).parent / "support"))  # what suites share: the stub endpoint, small worlds

from command_line import called  # noqa: E402
from stub_endpoint import StubEndpoint  # noqa: E402


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds an answer that another one, or a person, left in the cache."""
    monkeypatch.setenv("ADIDEM_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`cli("run", "hico", …)`: the command line in process, in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return called


@pytest.fixture
def stub() -> Iterator[StubEndpoint]:
    """A started endpoint on loopback; `stub.url` is its api_base."""
    endpoint = StubEndpoint().start()
    yield endpoint
    endpoint.stop()
