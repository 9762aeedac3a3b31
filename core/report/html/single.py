"""The page of one run."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.report.facts import Facts, read_facts
from adidem.core.report.html.episodes import told
from adidem.core.report.html.page import Group, page
from adidem.core.report.sections.all import parts_of
from adidem.core.report.text import cell
from adidem.core.report.wording import heading
from adidem.core.runs.store import RunStore


def single(store: RunStore) -> str:
    """The report of a stored run, its episodes embedded where they are few."""
    facts = read_facts(store)
    shown, untold = told(store, len(facts.rows))
    group = Group("run", facts.name, parts_of(facts), told=shown, untold=untold, note=labelled([facts]))
    return page(title_of(facts), heading(facts.summary), [group])


def title_of(facts: Facts) -> str:
    """`hico: openai/… with scripted:candid`."""
    summary = facts.summary
    return f"{cell(summary.suite)}: {cell(summary.agent)} with {cell(summary.partner)}"


def labelled(runs: Sequence[Facts]) -> str:
    """What the figures of these runs are evidence of, as every plot of them carries it (DESIGN §6)."""
    return "evidence: " + ", ".join(sorted({facts.summary.evidence for facts in runs}))
