"""Finds a registry, lays it over the packaged one and makes it typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import attrs

import adidem
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.registry.config import (
    COMPONENTS,
    LLM,
    NAME,
    SECTIONS,
    Entry,
    ModelSettings,
    Named,
    NamedAgent,
    Registry,
    Suite,
)
from adidem.core.registry.merge import merge
from adidem.core.registry.overrides import NO_OVERRIDES, Overrides
from adidem.core.registry.reader import read_file
from adidem.core.registry.structure import build, structure
from adidem.core.registry.tree import Node, Place, mistake, plain, shown

T = TypeVar("T")

PACKAGED = Path(adidem.__file__).parent / "registry.yaml"
LOCAL = Path("registry.yaml")
NAMED = ("agents", "models", "suites")


def find_registry(given: Path | None = None) -> Path | None:
    """The file that overlays the packaged registry: the given one, else ./registry.yaml, else none. The packaged file
    itself, met as ./registry.yaml in a checkout, overlays nothing. A given file that is none is a ConfigError."""
    if given is not None:
        if not given.is_file():
            raise ConfigError(f"--registry {given}: there is no such file")
        return given
    if LOCAL.is_file() and not LOCAL.samefile(PACKAGED):
        return LOCAL
    return None


def read_registry(given: Path | None = None, overrides: Overrides = NO_OVERRIDES) -> Registry:
    """The registry in force: packaged, then a file of one's own, then `--set`. Raises ConfigError."""
    over = find_registry(given)
    tree = normal(read_file(PACKAGED, ours=True))
    if over is not None:
        tree = merge(tree, normal(read_file(over)))
    _must_be_known(overrides.registry, tree)
    tree = merge(tree, normal(overrides.registry))
    return typed(tree, sources=tuple(str(file) for file in (PACKAGED, over) if file is not None))


def _must_be_known(over: Node, tree: Node) -> None:
    """`--set` changes agents and suites that there are: a misspelt name would otherwise make a new one."""
    for section in ("agents", "suites"):
        for name, node in over.section(section).items():
            if name not in tree.section(section):
                raise mistake(node, section, str(UnknownName(section[:-1], name, tree.section(section))))


def normal(root: Node) -> Node:
    """A document with its short forms written out, so that documents merge: an empty document, section, suite or
    component is an empty mapping; a component's `true` and `false` are `{enabled: ...}`."""
    if root.value is None:
        return Node({}, root.place)
    if not isinstance(root.value, dict):
        raise mistake(root, "", f"must be a mapping of {', '.join(SECTIONS)}, not {shown(plain(root))}")
    sections = {}
    for name, section in root.value.items():
        if name in (*COMPONENTS, *NAMED, "llm") and section.value is None:
            section = Node({}, section.place)
        if name in COMPONENTS and isinstance(section.value, dict):
            section = Node({key: _entry_written_out(entry) for key, entry in section.value.items()}, section.place)
        elif name in NAMED and isinstance(section.value, dict):
            filled = {k: Node({}, n.place) if n.value is None else n for k, n in section.value.items()}
            section = Node(filled, section.place)
        sections[name] = section
    return Node(sections, root.place)


def _entry_written_out(node: Node) -> Node:
    if node.value is None:
        return Node({}, node.place)
    if isinstance(node.value, bool):
        return Node({"enabled": node}, node.place)
    return node


def typed(tree: Node, sources: tuple[str, ...] = ()) -> Registry:
    """The typed registry of a merged document. Raises ConfigError at the first mistake."""
    for name, section in tree.members.items():
        if name not in SECTIONS:
            raise mistake(section, "", str(UnknownName("section", name, SECTIONS)))
    entries = {section: _entries(_section(tree, section), section) for section in COMPONENTS}
    return Registry(
        **entries,
        agents=_all(tree, "agents", NamedAgent),
        models=_all(tree, "models", ModelSettings),
        suites={name: _with_paths(suite, tree, name) for name, suite in _all(tree, "suites", Suite).items()},
        builtins=tuple(_module(node, path) for node, path in _listed(tree, "builtins")),
        plugins=tuple(_named(node, path) for node, path in _listed(tree, "plugins")),
        llm=build(_section(tree, "llm"), LLM, "llm"),
        tree=tree,
        sources=sources,
    )


def _section(tree: Node, name: str) -> Node:
    section = tree.members.get(name, Node({}, Place("")))
    if not isinstance(section.value, dict):
        raise mistake(section, name, f"must be a mapping, not {shown(plain(section))}")
    return section


def _all(tree: Node, section: str, cls: type[T]) -> dict[str, T]:
    members = _section(tree, section).members
    return {name: build(node, cls, f"{section}.{name}") for name, node in members.items()}


def _entries(section: Node, name: str) -> dict[str, Entry]:
    return {key: _entry(node, key, f"{name}.{key}") for key, node in section.members.items()}


def _entry(node: Node, name: str, path: str) -> Entry:
    if not re.fullmatch(NAME, name):
        raise mistake(node, path, f"{name!r} is no component's name: small letters, digits and _")
    if not isinstance(node.value, dict):
        raise mistake(node, path, f"must be true, false or a mapping of options, not {shown(plain(node))}")
    options = dict(node.value)
    switch = options.pop("enabled", None)
    enabled = True if switch is None else structure(switch, bool, f"{path}.enabled")
    return Entry(enabled, Node(options, node.place), node.place)


def _listed(tree: Node, section: str) -> Iterator[tuple[Node, str]]:
    """Each text of a section that is a list of them, with its path in the document."""
    node = tree.members.get(section)
    if node is None or node.value is None:
        return
    structure(node, tuple[str, ...], section)
    for index in range(len(node.value) if isinstance(node.value, tuple) else 0):
        yield node.at(index) or node, f"{section}[{index}]"


def _module(node: Node, path: str, otherwise: str = "") -> str:
    name = str(node.value)
    if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name):
        raise mistake(node, path, f"{name!r} is no module's dotted name{otherwise}")
    return name


def _named(node: Node, path: str) -> Named:
    """A plugin that is named by the path of a file, from the folder of its registry, or as a module."""
    text = str(node.value)
    if text.endswith(".py") or "/" in text:
        return Named(text, _path(node, path, text), node.place)
    return Named(_module(node, path, " and no path of a .py file"), None, node.place)


def _path(node: Node, path: str, text: str) -> Path:
    """A path as it is written, from the folder of its registry or from a home. Raises ConfigError for nobody's home."""
    try:
        return (node.place.folder / Path(text).expanduser()).absolute()
    except RuntimeError as error:
        raise mistake(node, path, f"{text!r}: there is no home of that name; write the whole path") from error


def _with_paths(suite: Suite, tree: Node, name: str) -> Suite:
    changes: dict[str, Any] = {}
    for key in ("bank", "data"):
        said = getattr(suite, key)
        if said is not None and not (key == "bank" and re.fullmatch(r"[\w-]+", said)):
            changes[key] = str(_path(Node(said, tree.where("suites", name, key)), f"suites.{name}.{key}", said))
    return attrs.evolve(suite, **changes)
