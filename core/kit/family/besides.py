"""The law of the members that a family may have besides its contract: scripted agents never meet most of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

from adidem.core.contracts import Tool
from adidem.core.domain import SEATS, RoleCard, Scenario, World
from adidem.core.kit.law import Broken, Idle
from adidem.core.kit.render import plain, world_lines
from adidem.core.kit.search import first
from adidem.core.kit.shapes import shaped
from adidem.core.kit.subject import Sample, Subject
from adidem.core.language.patterns import Pattern

MEMBERS = ("opener", "about", "actions", "ask", "prompt", "utility", "tools")
PLAIN = {"integer": 1, "number": 1, "string": "x", "boolean": True}
_NAME = Pattern(r"^[A-Za-z0-9_-]{1,64}$")


def what_it_has_besides_serves(subject: Subject) -> Broken | None:
    """What a family has besides its contract serves: an opener that is a seat, a prompt in words that keeps the other's
    card, a number for what a plan is worth, tools whose schema is one and whose calls give JSON."""
    sample = subject.own
    had = [name for name in MEMBERS if hasattr(sample.family, name)]
    if not had:
        raise Idle("it has nothing besides")
    problem = _constants(sample.family)
    if problem is not None:
        return Broken(problem)
    checks: list[Callable[[Sample, World], str | None]] = [_ASKED[name] for name in had if name in _ASKED]

    def fails(place: tuple[Scenario, World]) -> str | None:
        return next((said for check in checks if (said := check(sample, place[1])) is not None), None)

    found = first(sample.few, fails, subject.file)
    return None if found is None else Broken(found.what, world_lines(found.example[1], found.example[0]))


def _constants(family: Any) -> str | None:
    opener = getattr(family, "opener", SEATS[0])
    if opener not in SEATS:
        return f"`opener` is {plain(opener)}: it must be first or second"
    about = getattr(family, "about", "")
    if not isinstance(about, str):
        return f"`about` is {plain(about)}, no text"
    actions = getattr(family, "actions", ("speak",))
    if isinstance(actions, str) or not all(isinstance(action, str) for action in actions) or "speak" not in actions:
        return f"`actions` is {plain(actions)}: it must be names of what a turn may be, `speak` among them"
    return None


def _ask(sample: Sample, world: World) -> str | None:
    family: Any = sample.family
    for seat in SEATS:
        said = family.ask(world.public, seat)
        if not isinstance(said, str) or not said.strip():
            return f"ask(public, {seat!r}) gave {plain(said)}, no question"
    return None


def _prompt(sample: Sample, world: World) -> str | None:
    family: Any = sample.family
    for seat in SEATS:
        card = world.card(seat)
        told = family.prompt(card)
        if not isinstance(told, str) or not told.strip():
            return f"prompt gave {plain(told)} for the card of {seat}, no text"
        own = {condition.text for condition in card.conditions}
        others = [c.text for c in world.conditions if c.owner != seat and c.text.strip() and c.text not in own]
        leaked = next((text for text in others if text in told and text not in card.public.story), None)
        if leaked is not None:
            return f"the prompt of {seat} holds what only the other's card says: {plain(leaked)}"
    return None


def _utility(sample: Sample, world: World) -> str | None:
    family: Any = sample.family
    plans = sample.plans(world)[:: max(1, len(sample.plans(world)) // 20)] if sample.kept else ()
    known = (world, World("imagined", world.public, ()))
    for terms in (None, *plans):
        for seat in SEATS:
            for where in known:
                worth = family.utility(terms, where, seat)
                good = isinstance(worth, int | float) and not isinstance(worth, bool) and isfinite(worth)
                if worth is not None and not good:
                    return f"utility gave {plain(worth)} to {seat}: it must be a finite number, or None"
    return None


def _tools(sample: Sample, world: World) -> str | None:
    family: Any = sample.family
    for seat in SEATS:
        card = world.card(seat)
        given: Sequence[Any] = tuple(family.tools(card))
        names = [getattr(tool, "name", None) for tool in given]
        if len(set(names)) < len(names):
            return f"two tools of {seat} have one name: {plain(names)}"
        problem = next((said for tool in given if (said := _tool_problem(tool, card)) is not None), None)
        if problem is not None:
            return problem
    return None


def _tool_problem(tool: Any, card: RoleCard) -> str | None:
    from jsonschema import Draft202012Validator

    if not isinstance(tool, Tool):
        return f"tools gave {plain(tool)} to {card.seat}, no Tool"
    if not _NAME.search(str(tool.name)):
        return f"the tool {plain(tool.name)} cannot be called so: letters, digits, _ and -, 64 at most"
    description: Any = tool.description
    if not isinstance(description, str) or not description.strip():
        return f"the tool {tool.name} has no description, and a model knows nothing else of it"
    checked = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    if tool.parameters.get("type") != "object" or not checked.is_valid(dict(tool.parameters)):
        return f"the parameters of {tool.name} are no JSON schema of an object: {plain(dict(tool.parameters))}"
    arguments = shaped(tool.parameters, PLAIN)
    if not Draft202012Validator(dict(tool.parameters)).is_valid(arguments):
        return None  # what would meet this schema is more than can be made up here
    one, two = tool.call(arguments), tool.call(arguments)
    try:
        json.dumps(one)
    except (TypeError, ValueError) as error:
        return f"{tool.name}({plain(arguments)}) gave no JSON: {error}"
    return None if one == two else f"{tool.name}({plain(arguments)}) gave {plain(one)} and then {plain(two)}"


_ASKED = {"ask": _ask, "prompt": _prompt, "utility": _utility, "tools": _tools}
