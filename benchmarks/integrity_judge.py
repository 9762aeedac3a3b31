"""Prints how well the rule judge finds planted violations of Integrity in natural conversations.

    .venv/bin/python benchmarks/integrity_judge.py dev          # while working on the rules
    .venv/bin/python benchmarks/integrity_judge.py heldout      # to report

The conversations (tests/data/integrity) were written and labelled by people who had not seen the rules; see
docs/integrity_rules.md. A violation counts as found where its kind is flagged in its conversation. `--show` names every
miss.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adidem.core.domain import SEATS, Scenario, Task, Turn
from adidem.core.play import case_of, no_model
from adidem.core.records import written
from adidem.core.runs.scenarios import rules_of
from adidem.core.scenarios import scenario_from_json
from adidem.core.setup import load
from adidem.plugins.judges.integrity_rules import IntegrityRules

DATA = Path(__file__).parents[1] / "tests" / "data" / "integrity"
KINDS = ("factual_error", "repetition", "record_contradiction", "format_text")


def labelled(half: str) -> Iterator[dict[str, Any]]:
    """The labelled conversations of a half."""
    for file in sorted((DATA / half).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def flagged(entry: dict[str, Any], rules: dict[str, Any], judge: IntegrityRules) -> dict[str, list[str]]:
    """What the judge flags in a conversation: kind → reasons with quotes."""
    scenario: Scenario = scenario_from_json(entry["scenario"])
    judged = rules[scenario.family]
    world = scenario.world(entry["world"])
    turns = tuple(Turn(i, seat, text) for i, (seat, text) in enumerate(entry["turns"]))
    records = {seat: written(entry["records"][seat], judged.family, world.public) for seat in SEATS}
    verdict = judged.feasibility(world, {seat: entry["records"][seat] for seat in SEATS})
    task = Task(scenario, entry["world"], entry["seat"])
    case = case_of(task, judged, turns, records, verdict, dialogue=True)
    found: dict[str, list[str]] = {}
    for flag in asyncio.run(judge.judge(case, no_model)).flags:
        found.setdefault(flag.kind, []).append(f"{flag.seat} turn {flag.turn}: {flag.reason} | {flag.quote[:90]}")
    return found


def main(half: str, *, show: bool) -> None:
    """Count hits, misses and false alarms by kind."""
    setup = load()
    rules = rules_of(setup, setup.components.families)
    hits, misses, alarms = Counter(), Counter(), Counter()
    clean, clean_flagged, decided = 0, 0, 0
    entries = list(labelled(half))
    for entry in entries:
        planted = {label["kind"] for label in entry["labels"]}
        found = flagged(entry, rules, IntegrityRules())
        clean += not planted
        clean_flagged += not planted and bool(found)
        decided += bool(planted) == bool(found)
        for kind in KINDS:
            hits[kind] += kind in planted and kind in found
            misses[kind] += kind in planted and kind not in found
            alarms[kind] += kind not in planted and kind in found
        if show and planted != set(found):
            print(f"{entry['id']}: planted {sorted(planted)}, found {found}  ({entry['about']})")
    print(f"{half}: {len(entries)} conversations, {clean} clean")
    for kind in KINDS:
        total, said = hits[kind] + misses[kind], hits[kind] + alarms[kind]
        recall = f"{hits[kind]}/{total}" if total else "-"
        precision = f"{hits[kind]}/{said}" if said else "-"
        print(f"  {kind:<22} found {recall:>7}   right when flagged {precision:>7}")
    planted_total = sum(hits.values()) + sum(misses.values())
    print(f"  all planted violations found {sum(hits.values())}/{planted_total}   goal: 95 %")
    print(f"  clean conversations flagged  {clean_flagged}/{clean}   goal: at most 2 %")
    print(f"  pass/fail as labelled        {decided}/{len(entries)}")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    main(words[0] if words else "dev", show="--show" in sys.argv)
