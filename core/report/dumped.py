"""JSON of what a report comes to, whole numbers of any size in it: sums of counts may be beyond 64 bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

LEAST, MOST = -(2**63), 2**64
"""What orjson writes of whole numbers: those from `LEAST` on and below `MOST`."""


def dumped(data: Any) -> str:
    """Indented JSON of plain values. Every whole number is written exactly, however large."""
    try:
        return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONEncodeError:
        return orjson.dumps(_written(data), option=orjson.OPT_INDENT_2).decode()


def _written(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _written(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_written(inner) for inner in value]
    large = isinstance(value, int) and not LEAST <= value < MOST
    return orjson.Fragment(str(value).encode()) if large else value
