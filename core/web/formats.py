"""How the pages write links, numbers, times and values; handed to every template as `f`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from adidem.core.judging.fence import shown
from adidem.core.web.plain import plain
from adidem.core.web.query import Filters
from adidem.core.web.words import cause, label

__all__ = ["cause", "clear", "episode_link", "label", "link", "moment", "money", "number", "plain", "seconds", "share"]


def link(path: str, **query: Any) -> str:
    """An address; what is None or empty is left out."""
    return f"{path}?{urlencode({name: value for name, value in query.items() if value not in (None, '')})}"


def episode_link(run: str, row: Mapping[str, Any], filters: Filters, path: str = "/episode", **more: Any) -> str:
    """The address of an episode, with the filters that it was found by. Its own barrier condition is `condition`:
    `barrier` is the filter."""
    key = {"task": row["task"], "condition": row["barrier"], "repeat": row["repeat"]}
    return link(path, run=run, **key, **filters.query(**more))


def clear(value: object) -> str:
    """A short text with its controls as pictures."""
    return shown(str(value))


def number(value: float) -> str:
    """`12,345`; what is no whole number any more, since it is too large, as `1.84e+19`."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def share(value: float | None) -> str:
    """`62 %`; `–` where there is none."""
    return "–" if value is None else f"{100 * value:.0f} %"


def seconds(value: float) -> str:
    """`< 1 ms`, `320 ms`, `4.1 s`, `2 min 5 s`."""
    if value < 1:
        return "< 1 ms" if value < 0.001 else f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 100 else f"{int(value) // 60} min {int(value) % 60} s"


def money(value: float | None) -> str:
    """US dollars; unknown is said."""
    return "cost unknown" if value is None else f"${value:.4f}" if value < 1 else f"${value:,.2f}"


def moment(value: datetime) -> str:
    """`2026-11-30 05:12`."""
    return value.strftime("%Y-%m-%d %H:%M")
