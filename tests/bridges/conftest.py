"""inspect_ai counts tokens by tiktoken, which fetches its tables; litellm ships them, so the tests stay offline."""

from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _tables(monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_spec("litellm")
    assert found is not None
    assert found.origin is not None
    folder = Path(found.origin).parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
