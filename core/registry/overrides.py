"""`--set a.b=v`: values from the command line, laid over every file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from adidem.core.errors import ConfigError, UnknownName
from adidem.core.registry.config import SECTIONS, ModelSettings
from adidem.core.registry.merge import merge
from adidem.core.registry.reader import read_text
from adidem.core.registry.structure import build
from adidem.core.registry.tree import Node, Place

RUN_LEVEL = ("agent", "partner", "judge")
"""First names of settings that belong to who plays in a run, not to the registry."""

SOURCE = "--set"
_STEP = r'"([^"]+)"|([^."=]+)'


@frozen
class Overrides:
    """What `--set` says: a document to lay over the registry, and settings of this run's agent, partner and judge
    (those not named are None)."""

    registry: Node
    agent: ModelSettings = ModelSettings()
    partner: ModelSettings = ModelSettings()
    judge: ModelSettings = ModelSettings()


_EMPTY = Node({}, Place(SOURCE))
NO_OVERRIDES = Overrides(_EMPTY)


def parse_overrides(texts: Iterable[str]) -> Overrides:
    """The overrides of `a.b=v` texts, the later one winning. The value is YAML; a name that holds a dot stands in
    double quotes (`models."openai/gpt-4.1".temperature=0`). Raises ConfigError that names `--set` and the path."""
    tree = _EMPTY
    for text in texts:
        tree = merge(tree, _document(text))
    run = {name: node for name, node in tree.members.items() if name in RUN_LEVEL}
    rest = {name: node for name, node in tree.members.items() if name not in RUN_LEVEL}
    settings = {name: build(node, ModelSettings, name) for name, node in run.items()}
    return Overrides(Node(rest, tree.place), **settings)


def _document(text: str) -> Node:
    steps, value = _split(text)
    if steps[0] not in (*SECTIONS, *RUN_LEVEL):
        raise ConfigError(f"{SOURCE} {text}: {UnknownName('section', steps[0], (*SECTIONS, *RUN_LEVEL))}")
    try:
        node = read_text(value, SOURCE, Path.cwd(), positions=False)
    except ConfigError as error:
        raise ConfigError(f"{SOURCE} {'.'.join(steps)}: {str(error).removeprefix(f'{SOURCE}: ')}") from error
    for step in reversed(steps):
        node = Node({step: node}, node.place)
    return node


def _split(text: str) -> tuple[list[str], str]:
    step = re.compile(_STEP)
    steps, position = [], 0
    while match := step.match(text, position):
        steps.append((match[1] or match[2]).strip())
        position = match.end()
        if text[position : position + 1] != ".":
            break
        position += 1
    if text[position : position + 1] != "=" or not steps or not all(steps):
        raise ConfigError(f"{SOURCE} {text!r}: write it as name.name=value")
    return steps, text[position + 1 :]
