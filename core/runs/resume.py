"""Going on with a run that was played: by the settings that it was begun with, never by others without a word."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from adidem.core.errors import ConfigError
from adidem.core.kinds import kind_named
from adidem.core.registry.overrides import NO_OVERRIDES, RUN_LEVEL, Overrides, parse_overrides
from adidem.core.runs.config import ABSENT, Difference, differences
from adidem.core.runs.recipe import OF_RUN, Recipe
from adidem.core.runs.store import FILE, RunStore
from adidem.core.runs.suite import WORDS, Prepared
from adidem.core.setup import Setup

LONGEST = 60
"""Letters of a value that is shown."""

OF_SUITE = frozenset("families barriers tags partner split bank repeats turns seed dialogue seats data".split())
"""Settings that the suite holds, where nothing else is said."""

NOTHING = NO_OVERRIDES.registry


@frozen(eq=False)
class Resumed:
    """A run that goes on: what it is asked for, made ready, and what a person is to be told. `accepted` are options
    that are new since, by their keys, with which it was asked to go on."""

    recipe: Recipe
    prepared: Prepared
    told: Sequence[str] = ()
    accepted: Collection[str] = ()


def resumed(recipe: Recipe, setup: Setup, folder: Path, given: Collection[str], *, called: bool = True) -> Resumed:
    """The run in a folder as it was begun, where what is asked for now (`given` are the settings that a person names,
    as in a configuration) says nothing else. Where no model is `called`, none needs a key.

    Raises:
        ConfigError: something else is asked for, or a setting is new; they are named with what they were and are.
    """
    before, words = _begun(folder)
    if before is None:
        return Resumed(recipe, recipe.prepared(setup, called=called))
    same = words is None or words["suite"] != recipe.suite
    whole = recipe if same or words is None else recipe.recalled(words, given)
    prepared = whole.prepared(setup if whole == recipe else whole.setup(), called=called)
    now = prepared if whole == recipe else _as_of_now(recipe, setup)
    named = parse_overrides(recipe.sets)
    apart = differences(before, prepared.config.to_json())
    accepted = [d.key for d in apart if _is_new(d) and _wished(d, recipe, named, given)]
    found = [d for d in apart if d.key not in accepted]
    ours = [d for d in found if not d.follows]
    conflicts = [d for d in ours if _wished(d, recipe, named, given) or _is_new(d)]
    then = None if conflicts else _of_then(whole, ours, folder)
    if then is None:
        raise ConfigError(refusal(folder, conflicts or found, given))
    again = prepared
    if found:
        try:
            again = then.prepared(then.setup(), called=called)
        except ConfigError as error:  # what was possible then is not now
            raise ConfigError(f"{refusal(folder, found, given)} ({error})") from error
        if [d for d in differences(before, again.config.to_json()) if d.key not in accepted]:
            raise ConfigError(refusal(folder, found, given))
    kept = [] if now is None else [d for d in differences(before, now.config.to_json()) if not d.follows]
    lines = ", ".join(
        f"{d.key} {_written(d.was)} (begun now it would be {_written(d.now)})" for d in kept if d.key not in accepted
    )
    told = [f"{folder} goes on with the settings that it was begun with: {lines}"] if lines else []
    return Resumed(then, again, told, accepted)


def _begun(folder: Path) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """The configuration of the run in a folder and what a person asked for then, as far as they are kept."""
    if not (folder / FILE).is_file():
        return None, None
    with RunStore(folder) as store:
        return store.get("config"), store.get(WORDS)


def _as_of_now(recipe: Recipe, setup: Setup) -> Prepared | None:
    """The run as it would be by today's words alone; None where these do not make one."""
    try:
        return recipe.prepared(setup, called=False)
    except ConfigError:
        return None


def refusal(folder: Path, found: Sequence[Difference], given: Collection[str] = ()) -> str:
    """What differs, and how to go on. What follows from other settings is told alone where nothing else differs."""
    told = [d for d in found if not d.follows] or found
    new, others = [d for d in told if _is_new(d)], [d for d in told if not _is_new(d)]
    parts = []
    if others:
        lines = "; ".join(f"{d.key}: was {_written(d.was)}, is now {_written(d.now)}{_hint(d, given)}" for d in others)
        parts.append(f"{folder} was started with another configuration: {lines}")
    if new:
        sets = " ".join(f"--set {_setting(d)}={json.dumps(d.now)}" for d in new)
        parts.append(f"{folder} was begun before there was {', '.join(d.key for d in new)}: to go on, give {sets}")
    return f"{'; and '.join(parts)}; or take another --out"


def _of_then(recipe: Recipe, found: Sequence[Difference], folder: Path) -> Recipe | None:
    """What is asked for with what differs as it was; None where something cannot be asked for."""
    changes, own, sets = dict(recipe.changes), dict[str, Any](), list(recipe.sets)
    for difference in found:
        name, was = difference.path[0], difference.was
        if name == "barriers":
            changes[name] = tuple(condition for condition in was if condition != "none")
        elif name in OF_SUITE and was is not ABSENT:
            changes[name] = tuple(was) if isinstance(was, list) else was
        elif name in OF_RUN:
            own[name] = was
        elif name == "judges":
            own["judges"] = tuple(_judge_words(difference, folder))
        elif _setting(difference) is not None and was is not ABSENT:
            sets.append(f"{_setting(difference)}={json.dumps(was)}")
        else:
            return None
    return evolve(recipe, changes=changes, sets=tuple(sets), **own)


def _judge_words(difference: Difference, folder: Path) -> list[str]:
    """The `--judge` words of a run that kept none, by what its judges asked: models, or else the judge's own name."""
    with RunStore(folder) as store:
        specs: Mapping[str, str | None] = store.get("judges", {})
    more = [label for label in difference.was if label not in difference.now or "@" in label]
    return list(dict.fromkeys(specs.get(label) or label.partition("@")[0] for label in more))


def _wished(difference: Difference, recipe: Recipe, named: Overrides, given: Collection[str]) -> bool:
    """Whether a person names a setting now, on the command line or by `--set`."""
    first, *rest = difference.path
    suite = named.registry.members.get("suites", NOTHING).section(recipe.suite)
    if first in given or first in suite or (first == "judges" and "model_judges" in suite):
        return True
    if len(rest) != 2:
        return False
    owner, option = rest
    if first == "components":
        kind, _, component = owner.partition(".")
        return named.registry.at(kind_named(kind).section, component, option) is not None
    return first == "models" and _of_a_model(option, owner.partition(" ")[0], named)


def _of_a_model(option: str, who: str, named: Overrides) -> bool:
    """Whether `--set` says a setting of a model: of who plays, or of any model or agent of the registry."""
    own = getattr(named, who) if who in RUN_LEVEL else None
    sections = [named.registry.section(name) for name in ("models", "agents")]
    return getattr(own, option, None) not in (None, {}) or any(
        option in one.members for section in sections for one in section.values()
    )


def _setting(difference: Difference) -> str | None:
    """The name by which `--set` sets an option or how a model is called; None where it is no such setting."""
    if len(difference.path) != 3:
        return None
    section, owner, name = difference.path
    if section == "components":
        kind, _, component = owner.partition(".")
        return f"{kind_named(kind).section}.{component}.{name}"
    who = owner.partition(" ")[0]
    return f"{who}.{name}" if section == "models" and who in RUN_LEVEL and name != "model" else None


def _is_new(difference: Difference) -> bool:
    return difference.was is ABSENT and difference.path[0] == "components" and not difference.follows


def _hint(difference: Difference, given: Collection[str]) -> str:
    setting = _setting(difference)
    if setting is None or difference.was is ABSENT or difference.path[0] in given:
        return ""
    return f" (--set {setting}={json.dumps(difference.was)} keeps it)"


def _written(value: Any) -> str:
    """A value on one line, not long."""
    if value is ABSENT:
        return str(ABSENT)
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
