"""The page of several runs: together first, then each, folded."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.report.html.page import Group, page
from adidem.core.report.html.single import labelled, title_of
from adidem.core.report.sections.all import parts_of
from adidem.core.report.several.parts import parts_of_all
from adidem.core.report.several.read import headings, read_all
from adidem.core.report.text import cell
from adidem.core.runs.store import RunStore


def several(stores: Sequence[RunStore], compare: bool) -> str:
    """The report of stored runs; no episode is embedded."""
    runs = read_all(stores)
    groups = [Group("all", "All runs", parts_of_all(runs, stores, compare), note=labelled(runs))]
    groups += [
        Group(
            f"run{number}",
            f"{facts.name}: {title_of(facts)}",
            parts_of(facts),
            open=False,
            untold=f"its own report holds them: adidem report {cell(facts.folder)} --format html",
            note=labelled([facts]),
        )
        for number, facts in enumerate(runs, 1)
    ]
    return page(f"{len(runs)} runs", headings(runs), groups)
