"""A report in Markdown, ready for an appendix: the parts of the page without their plots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adidem.core.report.facts import read_facts
from adidem.core.report.section import Section, Table, blocks
from adidem.core.report.sections.all import parts_of, words
from adidem.core.report.several.parts import parts_of_all
from adidem.core.report.several.read import headings, read_all
from adidem.core.report.text import cell
from adidem.core.report.wording import heading
from adidem.core.runs.store import RunStore


def as_markdown(stores: Sequence[RunStore], compare: bool = False) -> str:
    """The report of one run, or of several together."""
    if len(stores) == 1:
        facts = read_facts(stores[0])
        summary = facts.summary
        title = f"{cell(summary.suite)}: {cell(summary.agent)} with {cell(summary.partner)}"
        return written(title, heading(summary), parts_of(facts))
    runs = read_all(stores)
    return written(f"{len(runs)} runs", headings(runs), parts_of_all(runs, stores, compare))


def written(title: str, lines: Sequence[str], sections: Sequence[Section]) -> str:
    """A document: blocks with one blank line between them."""
    blocks = [f"### {markdown_text(title)}", *(f"**{markdown_text(line)}**" for line in lines)]
    for section in sections:
        blocks += _blocks(section)
    return "\n\n".join(blocks) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    said = words()[section.name]
    yield f"#### {markdown_text(said['title'])}"
    yield markdown_text(said["about"])
    if section.lines:
        yield "\n".join(f"- {markdown_text(line)}" for line in section.lines)
    for table in (block for whole in section.tables for block in blocks(whole)):
        if table.caption:
            yield f"{markdown_text(table.caption)}:"
        yield _table(table)
    if section.text:
        yield "\n".join(f"    {line}".rstrip() for line in section.text.splitlines() if line.strip())


def _table(table: Table) -> str:
    rule = ["---" if place < table.labels else "---:" for place in range(len(table.head))]
    return "\n".join(markdown_row(row) for row in (table.head, rule, *table.rows))


def markdown_row(cells: Iterable[str]) -> str:
    """One row of a table, its cells made harmless."""
    return "| " + " | ".join(markdown_text(cell) for cell in cells) + " |"


def markdown_text(text: str) -> str:
    """Text that breaks out of no cell, holds no tag, and makes no link or picture."""
    text = text.replace("\\", "\\\\").replace("|", "\\|").replace("](", "]\\(")
    return text.replace("<", "&lt;").replace("\n", " ")
