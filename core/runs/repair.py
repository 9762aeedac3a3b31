"""What is done against a barrier: the repair instruction of the one without it, and the barriers it is asked about."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources

import yaml

from adidem.core.agents.spec import REPAIRS
from adidem.core.contracts import Agent
from adidem.core.errors import ConfigError, UnknownName


def repaired(agent: Agent, level: str | None) -> Agent:
    """A model speaker with that repair instruction; a scripted one is left as it is: it asks for what it did not
    understand in any case.

    Raises:
        ConfigError: there is no such instruction, or the agent cannot be given one.
    """
    if level is None:
        return agent
    if level not in REPAIRS:
        raise UnknownName("repair instruction", level, REPAIRS)
    if agent.scripted:
        return agent
    tell = getattr(agent, "repaired", None)
    if tell is None:
        raise ConfigError(f"{agent.name} cannot be given a repair instruction: leave --repair out")
    found: Agent = tell(level)
    return found


def described(names: Iterable[str]) -> dict[str, str]:
    """Each barrier with a few words on how it sounds, "" where none are known."""
    return {name: _about().get(name, "") for name in names}


@cache
def _about() -> dict[str, str]:
    text = resources.files("adidem.core.agents").joinpath("prompts/barriers.yaml").read_text(encoding="utf-8")
    return {name: " ".join(about.split()).rstrip(".") for name, about in yaml.safe_load(text).items()}
