"""The parts of a report on several runs together, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Sequence

from adidem.core.errors import ConfigError
from adidem.core.report.facts import Facts
from adidem.core.report.section import Section
from adidem.core.report.several.compare import compared, flipped, without_dialogue
from adidem.core.report.several.high_goals import high_goals_failed
from adidem.core.report.several.leaderboard import leaderboard, ranks
from adidem.core.report.several.pairs import comparisons, flips, values_of
from adidem.core.runs.store import RunStore


def parts_of_all(runs: Sequence[Facts], stores: Sequence[RunStore], compare: bool) -> list[Section]:
    """The leaderboard, high goals that failed, the orders by rating and success, dialogue against none where there are
    such runs, and the pairs where they are asked for.

    Raises:
        ConfigError: pairs are asked for and the extra `analysis` is not installed.
    """
    failed = high_goals_failed(runs)
    sections = [leaderboard(runs), *([failed] if failed is not None else [])]
    try:
        sections += [section for section in (ranks(runs), _dialogue(runs, stores)) if section is not None]
    except ConfigError as error:
        sections.append(Section("ranks", [str(error)]))
    if compare:
        names = [facts.name for facts in runs]
        values = [values_of(facts, store) for facts, store in zip(runs, stores, strict=True)]
        sections += [compared(comparisons(names, values)), flipped(flips(names, values))]
    return sections


def _dialogue(runs: Sequence[Facts], stores: Sequence[RunStore]) -> Section | None:
    if len({facts.config.get("dialogue") for facts in runs}) < 2:
        return None
    return without_dialogue(runs, [values_of(facts, store) for facts, store in zip(runs, stores, strict=True)])
