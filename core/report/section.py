"""A part of a report in no format yet: a title, lines, tables, and a chart whose numbers are in the tables."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from adidem.core.report.charts import Chart


@frozen(unsafe_hash=False)
class Table:
    """Rows of text under a head; the first `labels` columns are words, the others figures. `caption` may be empty."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1
    caption: str = ""


@frozen(unsafe_hash=False)
class Section:
    """One part. `name` is its anchor, and that of its explanation in `sections/words.yaml`; `text` is longer text in
    fixed letters (a configuration)."""

    name: str
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    chart: Chart | None = None
    text: str = ""
