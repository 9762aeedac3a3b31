"""Every planted fault is found by the law it breaks, with words for the author; the plugins they stand beside keep all
laws."""

from __future__ import annotations

from pathlib import Path

import pytest

from adidem.core.kit.check import LAWS, check
from adidem.core.kit.law import Verdict, told
from adidem.core.kit.target import subjects
from adidem.core.sources import import_file

OUTSIDE = Path(__file__).parents[1] / "outside"
BROKEN = sorted((OUTSIDE / "broken").glob("*.py"))
SOUND = [OUTSIDE / name for name in ("meeting_place.py", "moving_day.py", "mumble.py", "tone.py", "evenly.py")]


def verdicts(file: Path, kind: str | None = None, *laws: str) -> list[Verdict]:
    return list(check(subjects(str(file), kind=kind, examples=60), laws))


def test_there_are_many_of_them_and_one_for_every_law() -> None:
    breaks = {import_file(file).BREAKS for file in BROKEN}
    laws = {f"{law.kind}.{law.name}" for laws in LAWS.values() for law in laws}
    implied = {
        "family.no_constant_record_wins",  # follows from disjoint pairs: a broken one is found by pairs_hold too
        "family.feasibility_is_the_enumeration",  # holds by the way Rules is made, for checkers that keep their laws
    }
    assert len(BROKEN) >= 20
    assert laws - breaks <= implied
    assert breaks <= laws


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_a_planted_fault_is_found_and_told(file: Path) -> None:
    kind, _, law = import_file(file).BREAKS.partition(".")
    (found,) = verdicts(file, kind, law)
    assert found.status == "broken"
    words = told(found)
    assert f"{kind} {found.component} breaks {law}" in words
    assert "  change    " in words
    assert len(words.splitlines()) >= 4


@pytest.mark.parametrize("file", SOUND, ids=lambda file: file.stem)
def test_a_sound_plugin_keeps_every_law(file: Path) -> None:
    found = verdicts(file)
    assert not [told(verdict) for verdict in found if verdict.status == "broken"]
    assert sum(verdict.status == "ok" for verdict in found) >= 6
