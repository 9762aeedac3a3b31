"""What it takes to play a run again: the command, and the whole configuration."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from adidem.core.report.facts import Facts
from adidem.core.report.section import Section
from adidem.core.report.sections.settings import of_another_registry, settings
from adidem.core.report.text import cell, passage

LONGEST = 40_000
OTHERS = "the suite is of a registry of one's own: the command needs it (--registry), and its plugins"
OPTIONS = {"split": "--split", "seed": "--seed", "repeats": "--repeats", "turns": "--turns", "repair": "--repair"}
"""Settings that are an option of the same meaning."""


def repeat(facts: Facts) -> Section:
    """The command line that asks for the same, and `config.yaml`."""
    config = facts.config
    specs = {label: judge["spec"] for label, judge in facts.summary.judges.items()}
    written = yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True)
    said = [*words(config, dict.fromkeys(spec for spec in specs.values() if spec)), *settings(config, specs)]
    command = " ".join(shlex.quote(cell(word, 300)) for word in said)
    lines = [OTHERS] if of_another_registry(config) else []
    return Section("repeat", lines, text=passage(f"{command}\n\n{written}", LONGEST))


def words(config: Mapping[str, Any], judges: Iterable[str] = ()) -> Iterator[str]:
    """The command line of a configuration and the specs of its judges, as far as options say it."""
    yield from ("adidem", "run", str(config.get("suite", "")))
    yield from ("--agent", str(config.get("agent", "")), "--partner", str(config.get("partner", "")))
    for key, option in OPTIONS.items():
        if config.get(key) is not None:
            yield from (option, str(config[key]))
    for option, key in (("--family", "families"), ("--tag", "tags")):
        for name in config.get(key) or ():
            yield from (option, str(name))
    for name in config.get("barriers") or ():
        if name != "none":
            yield from ("--barrier", str(name))
    for spec in judges:
        yield from ("--judge", spec)
    if config.get("barrier_on") == "agent":
        yield from ("--barrier-on", "agent")
    if config.get("limit") is not None:
        yield from ("--limit", str(config["limit"]))
    if config.get("detect"):
        yield "--detect"
    if config.get("dialogue") is False:
        yield "--no-dialogue"
