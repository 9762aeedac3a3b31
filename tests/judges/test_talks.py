"""Integrity by rules on natural conversations: every planted violation is found, and clean talk is let alone.

The conversations and claims of tests/data/integrity/own were written for these tests, in words of the author's own, of
the kinds that the development half taught. They are no measure of the judge; benchmarks/integrity_judge.py is.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from adidem.core.contracts import Case
from adidem.core.domain import SEATS, Scenario, Turn
from adidem.core.listening import listen
from adidem.core.play import no_model
from adidem.core.records import written
from adidem.core.runs.scenarios import rules_of
from adidem.core.scenarios import scenario_from_json
from adidem.core.setup import load
from adidem.plugins.judges.integrity_rules import IntegrityRules

OWN = Path(__file__).parents[1] / "data" / "integrity" / "own"
TALKS: list[dict[str, Any]] = yaml.safe_load((OWN / "talks.yaml").read_text(encoding="utf-8"))
CLAIMS: dict[str, dict[str, Any]] = yaml.safe_load((OWN / "claims.yaml").read_text(encoding="utf-8"))
SAID = [
    (scenario, seat, kind, text)
    for scenario, of in CLAIMS.items()
    for seat in SEATS
    for kind in ("true", "untrue")
    for text in of[seat][kind]
]


@pytest.fixture(scope="module")
def scenarios() -> dict[str, Scenario]:
    lines = (OWN / "scenarios.jsonl").read_text(encoding="utf-8").splitlines()
    return {scenario.id: scenario for scenario in (scenario_from_json(json.loads(line)) for line in lines)}


@pytest.fixture(scope="module")
def rules() -> dict[str, Any]:
    setup = load()
    return rules_of(setup, setup.components.families)


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk["name"])
def test_what_is_planted_is_found_and_nothing_else(talk: dict[str, Any], scenarios: Any, rules: Any) -> None:
    scenario = scenarios[talk["scenario"]]
    world, judged = scenario.world(talk["world"]), rules[scenario.family]
    opens = SEATS.index(talk.get("opens", "first"))
    turns = tuple(Turn(i, SEATS[(i + opens) % 2], text) for i, text in enumerate(talk["said"]))
    raw = {seat: talk[seat] for seat in SEATS}
    records = {seat: written(raw[seat], judged.family, world.public) for seat in SEATS}
    assert not any(record.unreadable for record in records.values())
    verdict = judged.feasibility(world, raw)
    case = Case(scenario, world, "first", judged.family, judged.checkers, turns, records, verdict, True)
    flags = asyncio.run(IntegrityRules().judge(case, no_model)).flags
    assert {flag.kind for flag in flags} == set(talk.get("flagged", ())), flags
    assert all(flag.turn is None or flag.quote in turns[flag.turn].text for flag in flags), "evidence is quoted"


@pytest.mark.parametrize(("scenario", "seat", "kind", "text"), SAID, ids=[text for *_, text in SAID])
def test_claims_are_held_against_the_card(
    scenario: str, seat: Any, kind: str, text: str, scenarios: Any, rules: Any
) -> None:
    found = scenarios[scenario]
    world, family = found.world(CLAIMS[scenario]["world"]), rules[found.family].family
    facts = [fact for fact in listen(family, world.public, Turn(0, seat, text)).heard.facts if fact.about == "speaker"]
    denied = [why for fact in facts if (why := family.contradicts(fact, world.card(seat))) is not None]
    assert bool(denied) == (kind == "untrue"), (facts, denied)
