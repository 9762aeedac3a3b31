"""Reads several runs, each under a name that no other has."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from adidem.core.report.facts import Facts, read_facts
from adidem.core.report.wording import heading
from adidem.core.runs.store import RunStore


def read_all(stores: Sequence[RunStore]) -> list[Facts]:
    """The facts of each run. Its name is its folder's; where two folders are called alike, their parents' is before it,
    and where that does not help a number behind it."""
    names = [store.folder.resolve().name for store in stores]
    if len(set(names)) < len(names):
        names = ["/".join(store.folder.resolve().parts[-2:]) for store in stores]
    found: list[Facts] = []
    for store, name in zip(stores, names, strict=True):
        facts = read_facts(store, name)
        same = sum(one.name == facts.name or one.name.startswith(f"{facts.name} #") for one in found)
        found.append(evolve(facts, name=f"{facts.name} #{same + 1}") if same else facts)
    return found


def headings(runs: Sequence[Facts]) -> list[str]:
    """What stands above the report of each run, with its name."""
    return [f"{facts.name}: {line}" for facts in runs for line in heading(facts.summary)]
