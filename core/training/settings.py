"""The settings that a run was begun with, against those that are asked for now: what differs, and whose word it is.

A run's `recipe.json` holds `recipe` and `phases`, everything written out, and `asked`, the person's own words alone. So
a default that changed since is told from a wish that did.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.registry.tree import Node

LONGEST = 60
"""Letters of a value that is shown."""


class _Missing:
    """No value at all."""


MISSING = _Missing()

IDLE = ("trainer", "trainers", "study")
"""Parts of a recipe that `phases` holds as they take effect, or that decide nothing of one run."""


@frozen(eq=False)
class Change:
    """A setting that differs. `keys` are its names as `--set` takes them, the one to show first."""

    keys: tuple[str, ...]
    was: Any
    now: Any

    @property
    def key(self) -> str:
        """The name to show."""
        return self.keys[0]

    def __str__(self) -> str:
        return f"{self.key}: was {written(self.was)}, is now {written(self.now)}"


def written(value: Any) -> str:
    """A value on one line, as a recipe holds it, not long."""
    if value is MISSING:
        return "not there"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def leaves(before: Any, now: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any, Any]]:
    """Where two documents differ, with both values. What is not there is as good as null."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name in dict.fromkeys([*before, *now]):
            yield from leaves(before.get(name, MISSING), now.get(name, MISSING), (*path, str(name)))
    elif _rows(before) and _rows(now) and len(before) == len(now):
        for place, (one, two) in enumerate(zip(before, now, strict=True)):
            yield from leaves(one, two, (*path, place))
    elif before != now and not (before in (None, MISSING) and now in (None, MISSING)):
        yield path, before, now


def _rows(value: Any) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(each, Mapping) for each in value)


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    """What differs between the documents of two runs, each setting once. What follows from other settings is there
    alone where nothing else differs."""
    found = [
        Change((_dotted(path),), was, is_now)
        for path, was, is_now in leaves(before["recipe"], now["recipe"])
        if path[0] not in IDLE and not (path[0] == "stages" and "options" in path)
    ]
    found += _of_phases(before["phases"], now["phases"])
    found += [
        Change((f"models.{_dotted(path)}",), was, is_now)
        for path, was, is_now in leaves(before.get("models") or {}, now.get("models") or {})
        if "models" in before
    ]
    found += of_components(before.get("components") or {}, now.get("components") or {})
    if not found and before.get("scenarios") and before["scenarios"] != now["scenarios"]:
        found.append(Change(("the bank's scenarios",), before["scenarios"], now["scenarios"]))
    return found


def of_components(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """Options of what both hold; what one holds alone follows from other settings."""
    for section in before.keys() & now.keys():
        for name in sorted(before[section].keys() & now[section].keys()):
            for path, was, is_now in leaves(before[section][name], now[section][name]):
                yield Change((f"{section}.{name}.{_dotted(path)}",), was, is_now)


def apart(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    """Where two documents of plain values differ."""
    return [Change((_dotted(path),), was, is_now) for path, was, is_now in leaves(before, now)]


def _of_phases(before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> Iterator[Change]:
    names = [[str(phase["trainer"]) for phase in phases] for phases in (before, now)]
    if names[0] != names[1]:
        was, is_now = (each[0] if len(each) == 1 else each for each in names)
        yield Change(("trainer", "stages"), was, is_now)
        return
    for place, (one, two) in enumerate(zip(before, now, strict=True)):
        whose = (f"trainers.{two['trainer']}", f"stages.{place}.options")
        whose = whose if len(now) == 1 else whose[::-1]
        for path, was, is_now in leaves(one["options"], two["options"]):
            yield Change(tuple(f"{owner}.{_dotted(path)}" for owner in whose), was, is_now)


def touched(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The keys in which a person's own words differ."""
    return [_dotted(path) for path, _, _ in leaves(before, now)]


def concerns(change: Change, keys: Sequence[str]) -> bool:
    """Whether one of the keys is the changed setting's, or holds it, or is a part of it."""
    return any(_within(one, two) or _within(two, one) for one in change.keys for two in keys)


def says(asked: Mapping[str, Any], change: Change) -> bool:
    """Whether a person's own words hold a setting."""
    return any(_at(asked, key.split(".")) is not MISSING for key in change.keys)


def only_new(node: Node, there: Any) -> Node:
    """What of a document is not in plain values yet."""
    if not isinstance(node.value, dict) or not isinstance(there, Mapping):
        return node
    kept = {
        name: only_new(member, there.get(name))
        for name, member in node.value.items()
        if name not in there or (isinstance(member.value, dict) and isinstance(there[name], Mapping))
    }
    return Node(kept, node.place)


def _at(value: Any, path: Sequence[str]) -> Any:
    for step in path:
        if isinstance(value, Mapping):
            value = value.get(step, MISSING)
        elif isinstance(value, Sequence) and not isinstance(value, str) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def _within(one: str, two: str) -> bool:
    return one == two or one.startswith(f"{two}.")


def _dotted(path: Sequence[str | int]) -> str:
    return ".".join(map(str, path))
