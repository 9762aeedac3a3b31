"""Laws of what a family generates: scenarios that are whole, the same each time, and fit to be kept as data."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from adidem.core.domain import Scenario, Split
from adidem.core.errors import BankError
from adidem.core.kit.law import Broken
from adidem.core.kit.render import plain
from adidem.core.kit.search import first
from adidem.core.kit.subject import SEED, SPLITS, Subject
from adidem.core.scenarios import scenario_from_json, scenario_to_json
from adidem.core.scenarios.bank import malformed
from adidem.core.sources import Fault, contained

MANY = 25
"""More scenarios than most families have settings: training asks for as many as it wants."""

SHARED = 0.5
"""Small families draw the same now and then; two splits that share so much of their scenarios are one."""


def scenarios_made(subject: Subject) -> Broken | None:
    """Each split gives well-formed scenarios of this family, as many as are asked for, each under an id of its own. One
    that reads a data set has no more than that holds, and may leave splits empty, not all of them."""
    ready_made = hasattr(subject.thing, "read")
    if ready_made and not subject.own.scenarios:
        return Broken("no split has any scenario")
    for split in SPLITS:
        for count in (None, 1, MANY):
            asked = f'scenarios("{split}", {SEED}, {count})'
            made = _made(subject, split, count)
            if isinstance(made, Fault):
                return Broken(f"{asked} raised {made.cause}")
            if ready_made and count is not None and len(made) < count:
                count = len(made)
            problem = _problem(made, subject.name, split, count) if made or not ready_made else None
            if problem is not None:
                return Broken(f"{asked}: {problem}")
    return None


def scenarios_repeat(subject: Subject) -> Broken | None:
    """The same split and seed give the same scenarios, whatever the global random generator holds, which is left as
    it was."""
    for split in SPLITS:
        state = random.getstate()
        one = _made(subject, split, 4)
        touched = random.getstate() != state
        random.setstate(random.Random(1).getstate())
        two = _made(subject, split, 4)
        random.setstate(state)
        if isinstance(one, Fault) or isinstance(two, Fault):
            continue
        asked = f'scenarios("{split}", {SEED}, 4)'
        if touched:
            return Broken(f"{asked} draws from Python's global generator")
        for before, after in zip(one, two, strict=False):
            if before != after:
                return Broken(f"{asked} gave another {before.id} the second time", _differing(before, after))
    return None


def splits_are_apart(subject: Subject) -> Broken | None:
    """What is trained on is not what is tested on: no split is made of another's scenarios."""
    made = {split: found for split in SPLITS if isinstance(found := _made(subject, split, None), list) and found}
    for one, other in combinations(made, 2):
        known = {_matter(scenario): scenario for scenario in made[one]}
        same = [scenario for scenario in made[other] if _matter(scenario) in known]
        if len(same) > SHARED * min(len(made[one]), len(made[other])):
            what = f"{len(same)} of the {len(made[other])} scenarios of {other} are scenarios of {one}"
            return Broken(what, (f"such as {same[0].id}, which is {known[_matter(same[0])].id}",))
    return None


def _matter(scenario: Scenario) -> str:
    """All of a scenario but what it is called."""
    return repr((scenario.public, scenario.a, scenario.b))


def scenarios_are_data(subject: Subject) -> Broken | None:
    """Written to a bank as JSON and read again, every scenario is what it was."""

    def lost(scenario: Scenario) -> str | None:
        try:
            again = scenario_from_json(scenario_to_json(scenario))
        except BankError as error:
            return f"{scenario.id} cannot be read from a bank: {error}"
        changed = _differing(scenario, again)
        return f"{scenario.id} comes back from a bank changed: {changed[0]}" if changed else None

    found = first(subject.own.scenarios, lost, subject.file)
    return None if found is None else Broken(found.what)


def _made(subject: Subject, split: Split, count: int | None) -> list[Any] | Fault:
    return contained(lambda: list(subject.thing.scenarios(split, SEED, count)), subject.file)


def _problem(made: Sequence[Any], family: str, split: Split, count: int | None) -> str | None:
    if not made:
        return "there is none"
    if count is not None and len(made) != count:
        return f"there are {len(made)}"
    seen: set[str] = set()
    for place, scenario in enumerate(made):
        if not isinstance(scenario, Scenario):
            return f"the one at {place} is {plain(scenario)}, no Scenario"
        if (scenario.family, scenario.split) != (family, split):
            return f"{scenario.id} is of family {scenario.family!r} and split {scenario.split!r}"
        problem = malformed(scenario)
        if problem is not None:
            return f"{scenario.id}: {problem}"
        if scenario.id in seen:
            return f"{scenario.id} is there twice"
        seen.add(scenario.id)
    return None


def _differing(before: Scenario, after: Scenario) -> tuple[str, ...]:
    """The fields that differ between two scenarios."""
    lines = []
    for name in ("public", "a", "b", "id", "setting", "tags"):
        one, two = getattr(before, name), getattr(after, name)
        if one != two:
            lines.append(f"{name}: {_first_difference(one, two)}")
    return tuple(lines)


def _first_difference(one: Any, two: Any) -> str:
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        one, two = next((x, y) for x, y in zip(one, two, strict=True) if x != y)
    return f"{str(one)[:200]} became {str(two)[:200]}"
