"""Rubrics are data: YAML beside each judge, read once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read_yaml(path: Path) -> Mapping[str, Any]:
    """The mapping that a YAML file holds, keys in its order."""
    import yaml

    read: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read
