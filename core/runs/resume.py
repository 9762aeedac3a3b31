"""Going on with a run that was played: by the settings that it was begun with, never by others without a word."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from adidem.core.errors import ConfigError
from adidem.core.kinds import kind_named
from adidem.core.registry.overrides import RUN_LEVEL
from adidem.core.runs.config import ABSENT, Difference, differences
from adidem.core.runs.recipe import Recipe
from adidem.core.runs.store import FILE, RunStore
from adidem.core.runs.suite import Prepared

LONGEST = 60
"""Letters of a value that is shown."""

OF_SUITE = frozenset("families barriers tags partner split bank repeats turns seed dialogue seats data".split())
OF_RUN = frozenset({"agent", "limit", "barrier_on", "repair", "detect"})
"""Settings that the suite holds, where nothing else is said; and those that the command line alone holds."""


@frozen(eq=False)
class Resumed:
    """A run that goes on: what it is asked for, made ready, and what a person is to be told. `accepted` are options
    that are new since, by their keys, with which it was asked to go on."""

    recipe: Recipe
    prepared: Prepared
    told: Sequence[str] = ()
    accepted: Collection[str] = ()


def resumed(recipe: Recipe, prepared: Prepared, folder: Path, given: Collection[str]) -> Resumed:
    """The run in a folder as it was begun, where what is asked for now (`given` are the settings that a person names,
    as in a configuration) says nothing else.

    Raises:
        ConfigError: something else is asked for, or a setting is new; they are named with what they were and are.
    """
    if not (folder / FILE).is_file():
        return Resumed(recipe, prepared)
    with RunStore(folder) as store:
        before = store.get("config")
    if before is None:
        return Resumed(recipe, prepared)
    named = [text.partition("=")[0].strip() for text in recipe.sets]
    apart = differences(before, prepared.config.to_json())
    accepted = [d.key for d in apart if _is_new(d) and _setting(d) in named]
    found = [d for d in apart if d.key not in accepted]
    if not found:
        return Resumed(recipe, prepared, (), accepted)
    ours = [d for d in found if not d.follows]
    conflicts = [d for d in ours if d.path[0] in given or _setting(d) in named or _is_new(d)]
    then = None if conflicts else _of_then(recipe, ours, before)
    if then is None:
        raise ConfigError(refusal(folder, conflicts or found, given))
    try:
        again = then.prepared(then.setup())
    except ConfigError as error:  # what was possible then is not now
        raise ConfigError(f"{refusal(folder, found, given)} ({error})") from error
    if [d for d in differences(before, again.config.to_json()) if d.key not in accepted]:
        raise ConfigError(refusal(folder, found, given))
    kept = ", ".join(f"{d.key} {_written(d.was)} (begun now it would be {_written(d.now)})" for d in ours)
    return Resumed(then, again, [f"{folder} goes on with the settings that it was begun with: {kept}"], accepted)


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


def _of_then(recipe: Recipe, found: Sequence[Difference], before: Mapping[str, Any]) -> Recipe | None:
    """What is asked for with what differs as it was; None where something cannot be asked for."""
    changes, own, sets = dict(recipe.changes), dict[str, Any](), list(recipe.sets)
    for difference in found:
        name, was = difference.path[0], difference.was
        if name in OF_SUITE and was is not ABSENT:
            changes[name] = tuple(was) if isinstance(was, list) else was
        elif name in OF_RUN:
            own[name] = was
        elif name == "judges":
            own["judges"] = tuple(dict.fromkeys(_specs(before["judges"])))
        elif _setting(difference) is not None and was is not ABSENT:
            sets.append(f"{_setting(difference)}={json.dumps(was)}")
        else:
            return None
    return evolve(recipe, changes=changes, sets=tuple(sets), **own)


def _specs(labels: Sequence[str]) -> Iterator[str]:
    """The models of judges' labels (`integrity@SPEC`)."""
    for label in labels:
        _, at, spec = label.partition("@")
        if at:
            yield spec


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
