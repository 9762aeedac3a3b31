"""The viewer's wording, from words.yaml: labels of filters, causes, outcomes and actions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from adidem.core.judging import read_yaml


@cache
def words() -> Mapping[str, Any]:
    """All of words.yaml."""
    return read_yaml(Path(__file__).with_name("words.yaml"))


def label(group: str, value: object) -> str:
    """The viewer's word for a value of a group; the value itself where there is none."""
    return str(words()[group].get(str(value), value))


def cause(token: str) -> str:
    """A cause as the index keeps it (`violation:most`) in words; `_` in a name is a blank."""
    kind, _, name = token.partition(":")
    said = words()["why"].get(kind, "{kind}: {name}")
    return str(said).replace("{name}", name.replace("_", " ")).replace("{kind}", kind)
