"""Lays one document over another: mappings merge, everything else is replaced."""

from __future__ import annotations

from adidem.core.registry.tree import Node


def merge(base: Node, over: Node) -> Node:
    """`base` with `over` laid upon it. Mappings merge member by member, in the order of `base` and then of `over`;
    a list or a scalar replaces. Associative, and an empty mapping changes nothing, as long as no name holds a mapping
    in one document and something else in another."""
    if not isinstance(base.value, dict) or not isinstance(over.value, dict):
        return over
    members = dict(base.value)
    for name, node in over.value.items():
        members[name] = merge(members[name], node) if name in members else node
    return Node(members, over.place)
