"""A report in Markdown, ready for an appendix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adidem.core.report.grouping import HEADLINES
from adidem.core.report.ratings import rating_rows
from adidem.core.report.rows import barrier_rows, compliance_rows, rows_of
from adidem.core.report.summary import Summary
from adidem.core.report.wording import TITLES, ending, heading


def as_markdown(summaries: Sequence[Summary]) -> str:
    """The report in Markdown, ready for an appendix."""
    parts = []
    for summary in summaries:
        head = ["", "", "episodes", *(f"{TITLES[name]} %" for name in HEADLINES)]
        title = f"{summary.suite}: {summary.agent} with {summary.partner}"
        lines = [f"### {markdown_text(title)}", ""]
        lines += [f"**{markdown_text(line)}**" for line in heading(summary)]
        lines += ["", markdown_row(head), markdown_row(["---", "---", *["---:"] * 4])]
        lines += [markdown_row(row) for row in rows_of(summary)]
        if rating_rows(summary.metrics):
            lines += [
                "",
                markdown_row(["rating", "agent or episode", "partner"]),
                markdown_row(["---", "---:", "---:"]),
            ]
            lines += [markdown_row(row) for row in rating_rows(summary.metrics)]
        if summary.barriers is not None:
            titles = ["condition", "measure", "none", "under", "difference", "relative"]
            lines += ["", markdown_row(titles), markdown_row(["---", "---", *["---:"] * 4])]
            lines += [markdown_row(row) for row in barrier_rows(summary.barriers)]
        if summary.compliance is not None:
            titles = ["condition", "quota per turn", "asked", "observed", "episodes outside"]
            lines += ["", markdown_row(titles), markdown_row(["---", "---", *["---:"] * 3])]
            lines += [markdown_row(row) for row in compliance_rows(summary)]
        lines += ["", *(f"- {markdown_text(line)}" for line in ending(summary))]
        lines += ["- intervals: 95 %, percentile bootstrap clustered by scenario"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def markdown_row(cells: Iterable[str]) -> str:
    """One row of a table, its cells made harmless."""
    return "| " + " | ".join(markdown_text(cell) for cell in cells) + " |"


def markdown_text(text: str) -> str:
    """Text that breaks out of no cell and holds no tag."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
