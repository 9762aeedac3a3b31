"""The parts of a run's report, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import yaml

from adidem.core.report.facts import Facts
from adidem.core.report.section import Section
from adidem.core.report.sections.barriers import barriers
from adidem.core.report.sections.cost import cost
from adidem.core.report.sections.curves import curves
from adidem.core.report.sections.failures import failures
from adidem.core.report.sections.goals import goals
from adidem.core.report.sections.groups import groups
from adidem.core.report.sections.headline import headline
from adidem.core.report.sections.quadrants import quadrants
from adidem.core.report.sections.ratings import ratings
from adidem.core.report.sections.repeat import repeat
from adidem.core.report.sections.spread import spread

PARTS: tuple[Callable[[Facts], Section | None], ...] = (
    headline,
    quadrants,
    groups,
    barriers,
    failures,
    goals,
    ratings,
    spread,
    curves,
    cost,
    repeat,
)


def parts_of(facts: Facts) -> list[Section]:
    """Every part that the run has something to say in."""
    return [section for part in PARTS if (section := part(facts)) is not None]


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """By the name of a part: its title, and what to read it as."""
    found: Mapping[str, Mapping[str, str]] = yaml.safe_load(
        Path(__file__).with_name("words.yaml").read_text(encoding="utf-8")
    )
    return found
