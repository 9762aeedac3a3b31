"""A YAML document as a tree in which every value knows where it was written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from attrs import field, frozen

from adidem.core.errors import ConfigError

Scalar: TypeAlias = str | int | float | bool | None


@frozen
class Place:
    """Where a value stands: a file (or `--set`), its line and column counted from 1, and the folder that relative
    paths written there start from. A mapping's member stands where its key does, a list's where it does itself."""

    source: str
    line: int | None = None
    column: int | None = None
    folder: Path = field(factory=Path, eq=False)

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}:{self.column}"


@frozen(unsafe_hash=False)
class Node:
    """One value of a document: a scalar, a mapping of names to nodes, or a tuple of nodes."""

    value: Scalar | dict[str, Node] | tuple[Node, ...]
    place: Place = field(eq=False)

    @property
    def members(self) -> Mapping[str, Node]:
        """The members of a mapping; of anything else, none."""
        return self.value if isinstance(self.value, dict) else {}

    def section(self, name: str) -> Mapping[str, Node]:
        """The members of a member; none where there is none."""
        return self.members[name].members if name in self.members else {}

    def at(self, *path: str | int) -> Node | None:
        """The node at a path of member names and list indexes, or None."""
        node: Node | None = self
        for step in path:
            if node is None:
                return None
            if isinstance(step, int):
                items = node.value if isinstance(node.value, tuple) else ()
                node = items[step] if 0 <= step < len(items) else None
            else:
                node = node.members.get(step)
        return node

    def where(self, *path: str | int) -> Place:
        """The place of the node at a path, or of the deepest one on the way that exists."""
        for length in range(len(path), -1, -1):
            node = self.at(*path[:length])
            if node is not None:
                return node.place
        return self.place


def plain(node: Node) -> Any:
    """The document as ordinary values: dicts, lists, scalars."""
    if isinstance(node.value, dict):
        return {name: plain(member) for name, member in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(item) for item in node.value]
    return node.value


def mistake(node: Node, path: str, message: str) -> ConfigError:
    """A one-line error that says where in which file, where in the document, and what is wrong."""
    where = "".join(c if c.isprintable() else repr(c)[1:-1] for c in path)
    return ConfigError(f"{node.place}: {where}: {message}" if path else f"{node.place}: {message}")


def shown(value: Any) -> str:
    """A value as an error shows it: on one line and not long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
