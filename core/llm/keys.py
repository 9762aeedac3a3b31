"""Whether a hosted provider's key is missing, told without its client: importing that takes seconds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import cast

OTHERS = {"hosted_vllm": ("HOSTED_VLLM_API_KEY",)}
"""Variables of keys that may be set and need not be."""


def missing_key(model: str) -> str | None:
    """The variable to set for a model `provider/name`, where the environment holds nothing at all for a provider that
    needs a key. None wherever something might do instead: only litellm can say whether it does."""
    names = _names(model)
    ours = tuple(f"{name.partition('_')[0]}_" for name in names)
    if not names or any(name.startswith(ours) for name in os.environ):
        return None
    return names[0]


def has_credentials(model: str) -> bool:
    """Whether a variable that is known to let this provider's models be called is set."""
    return any(name in os.environ for name in _names(model))


def unusable_key(model: str, named: str | None) -> str | None:
    """The variable whose value can be no key, of the one that is `named` for a model, else of its provider's: it could
    not be sent in a header, or would not be the key (a file's last line break came with it)."""
    own = (named,) if named is not None else tuple(_names(model)) + tuple(OTHERS.get(model.partition("/")[0], ()))
    for name in own:
        value = os.environ.get(name, "")
        if not (value.isascii() and value.isprintable()) or " " in value:
            return name
    return None


def _names(model: str) -> Sequence[str]:
    provider, slash, _ = model.partition("/")
    return _known().get(provider, ()) if slash else ()


@cache
def _known() -> Mapping[str, Sequence[str]]:
    import yaml

    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return cast("Mapping[str, Sequence[str]]", yaml.safe_load(text))
