"""Reads YAML text into a tree with positions: safe types only, no duplicate keys, no bombs, one-line errors."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from adidem.core.errors import ConfigError
from adidem.core.registry.tree import Node, Place, Scalar

MOST_NODES = 50_000
MOST_DEPTH = 64
TAG = "tag:yaml.org,2002:"


class _Loader(yaml.SafeLoader):
    """Reads scalars as YAML 1.2's core schema does: `on` and `12:30` are text, `1e-4` is a number, no dates."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (pyyaml's own table)


_KINDS = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
)


@cache
def _loader(*, fast: bool = False) -> Any:
    base = getattr(yaml, "CSafeLoader", None) if fast else None
    found: Any = type("_Fast", (base,), {"yaml_implicit_resolvers": {}}) if base is not None else _Loader
    for tag, pattern, first in _KINDS:
        found.add_implicit_resolver(TAG + tag, re.compile(rf"^(?:{pattern})$"), first)
    return found


def read_file(path: Path, shown_as: str | None = None, *, ours: bool = False) -> Node:
    """The tree of a YAML file. Raises ConfigError where it cannot be read, is not UTF-8 or not such YAML. One of `ours`
    is read by libyaml, where it is there: ten times as fast, but what is nested without end would overrun its stack."""
    name = shown_as or str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror or error}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise ConfigError(f"{name}:{line}:{column}: is not UTF-8 text") from error
    return read_text(text, name, path.parent, ours=ours)


def read_text(
    text: str, source: str, folder: Path | None = None, *, positions: bool = True, ours: bool = False
) -> Node:
    """The tree of a YAML text; an empty one is null. Without `positions` every place is the source alone."""
    start = Place(source, folder=folder or Path())
    try:
        root = yaml.compose(text, Loader=_loader(fast=ours))
    except yaml.MarkedYAMLError as error:
        raise ConfigError(f"{_at(start, _mark(error), positions)}: {_problem(error)}") from error
    except yaml.reader.ReaderError as error:
        raise ConfigError(f"{start}: {_unreadable(error)}") from error
    except RecursionError as error:
        raise ConfigError(f"{start}: is nested too deeply") from error
    if root is None:
        return Node(None, start)
    return _Walk(start, positions).node(root, root, 0)


class _Walk:
    """Turns composed YAML nodes into ours, counting them: an alias counts as what it stands for."""

    def __init__(self, start: Place, positions: bool) -> None:
        self.start, self.positions, self.count = start, positions, 0

    def node(self, node: yaml.Node, key: yaml.Node, depth: int) -> Node:
        self.count += 1
        place = _at(self.start, key.start_mark, self.positions)
        if self.count > MOST_NODES:
            raise ConfigError(f"{place}: holds more than {MOST_NODES} values once its aliases are written out")
        if depth > MOST_DEPTH:
            raise ConfigError(f"{place}: is nested more than {MOST_DEPTH} deep, or an alias holds itself")
        if isinstance(node, yaml.ScalarNode):
            return Node(_scalar(node, place), place)
        if node.tag not in (f"{TAG}map", f"{TAG}seq"):
            raise ConfigError(f"{place}: the tag {_tag_name(node)} is not allowed here")
        if isinstance(node, yaml.SequenceNode):
            return Node(tuple(self.node(item, item, depth + 1) for item in node.value), place)
        return Node(self.members(node, depth), place)

    def members(self, node: yaml.Node, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for key, value in node.value:
            place = _at(self.start, key.start_mark, self.positions)
            if not isinstance(key, yaml.ScalarNode) or key.tag != f"{TAG}str":
                said = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
                raise ConfigError(f"{place}: a key must be text, not {said!r}; put it in quotes")
            if key.value in found:
                raise ConfigError(f"{place}: duplicate key {key.value!r}, first at {found[key.value].place}")
            found[key.value] = self.node(value, key, depth + 1)
        return found


def _scalar(node: yaml.ScalarNode, place: Place) -> Scalar:
    kind, text = node.tag.removeprefix(TAG), str(node.value)
    try:
        match kind:
            case "str":
                return text
            case "null":
                return None
            case "bool":
                return _BOOLS[text.lower()]
            case "int":
                return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
            case "float":
                return float(text.replace(".inf", "inf").replace(".nan", "nan").replace(".Inf", "inf"))
    except (ValueError, KeyError) as error:
        raise ConfigError(f"{place}: {text[:40]!r} is not a usable {kind}") from error
    raise ConfigError(f"{place}: the tag {_tag_name(node)} is not allowed here")


_BOOLS = {"true": True, "false": False}


def _tag_name(node: yaml.Node) -> str:
    return repr(str(node.tag).replace(TAG, "!!"))


def _mark(error: yaml.MarkedYAMLError) -> Any:
    return error.problem_mark or error.context_mark


def _at(start: Place, mark: Any, positions: bool) -> Place:
    if mark is None or not positions:
        return start
    return Place(start.source, mark.line + 1, mark.column + 1, start.folder)


def _problem(error: yaml.MarkedYAMLError) -> str:
    said = " ".join(part for part in (error.context, error.problem) if part)
    return "is not YAML: " + " ".join(said.split())


def _unreadable(error: yaml.reader.ReaderError) -> str:
    code = error.character if isinstance(error.character, int) else ord(str(error.character)[:1] or "?")
    return f"is not YAML: the character U+{code:04X} is not allowed"
