"""A report for other programs: CSV with one row an episode, and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from adidem.core.report.summary import Summary


def as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """One line an episode: the columns of the store. A cell that a spreadsheet would take for a formula is quoted."""
    out = io.StringIO()
    writer: Any = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: _harmless(value) for key, value in row.items()})
    return out.getvalue()


def _harmless(value: Any) -> Any:
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def as_json(summaries: Sequence[Summary]) -> str:
    """One object for one run, a list for several."""
    data = [summary.to_json() for summary in summaries]
    return orjson.dumps(data[0] if len(data) == 1 else data, option=orjson.OPT_INDENT_2).decode()
