"""From what `--agent` says to an agent."""

from __future__ import annotations

from collections.abc import Iterable

from adidem.core.contracts import Agent
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.llm.gateway import PLAIN, Gateway
from adidem.core.llm.local import LOCAL, MODELS
from adidem.core.registry.config import ModelSettings

SCRIPTED, HF, HUMAN = "scripted:", "hf:", "human"
REPAIRS = ("plain", "aware")
"""The repair instructions: what helps against any barrier; first to tell which one it is, then to choose."""


def agent_from_spec(spec: str, gateway: Gateway, settings: ModelSettings = PLAIN, known: Iterable[str] = ()) -> Agent:
    """The agent that a spec names: `scripted:NAME`, `local:NAME`, `hf:PATH`, `human`, or any litellm model string. A
    model is checked before anything is played: its provider, its key, its packages. `known` are the registry's own
    names.

    Raises:
        UnknownName: no scripted agent or local model has that name; the nearest are suggested.
        ConfigError: a model that no provider serves, whose key is not set, or whose packages are missing.
    """
    spec = spec.strip()
    if spec.startswith(SCRIPTED):
        return _scripted(spec)
    if spec == HUMAN:
        from adidem.core.agents.human import HumanAgent

        return HumanAgent()
    if spec.startswith(HF):
        from adidem.core.agents.hf import hf_agent

        return hf_agent(spec, settings)
    if not spec.startswith(LOCAL):
        _no_slip(spec, known)
    gateway.check(spec, settings)
    from adidem.core.agents.chat import ChatAgent

    return ChatAgent(spec, gateway, settings)


def _scripted(spec: str) -> Agent:
    from adidem.core.agents.scripted import MANNERS, ScriptedAgent

    name = spec.removeprefix(SCRIPTED)
    if name not in MANNERS:
        raise UnknownName("agent", spec, [SCRIPTED + known for known in MANNERS])
    return ScriptedAgent(MANNERS[name])


def _no_slip(spec: str, named: Iterable[str]) -> None:
    """Raises UnknownName for a word that is nearly one of our own names, before it is taken for a model's."""
    from difflib import get_close_matches

    from adidem.core.agents.scripted import MANNERS

    own = sorted(name for name in named if name != spec)
    known = [HUMAN, *own, *(LOCAL + name for name in MODELS), *(SCRIPTED + name for name in MANNERS)]
    bare = {name.partition(":")[2] or name: name for name in known if name not in own}
    if not spec:
        raise UnknownName("agent", spec, known)
    if spec in bare and spec != HUMAN:
        raise ConfigError(f"unknown agent {spec!r}: write {bare[spec]!r}")
    if "/" not in spec and get_close_matches(spec, [*known, *bare], n=1, cutoff=0.75):
        raise UnknownName("agent", spec, known)
