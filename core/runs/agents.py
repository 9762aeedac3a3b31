"""The agents of a run: made from their specs, sharing one gateway, closed together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import attrs

from adidem.core.agents.spec import agent_from_spec
from adidem.core.containment import called, contained
from adidem.core.contracts import Agent, Barrier
from adidem.core.domain import Directive
from adidem.core.domain.speech import combined
from adidem.core.errors import ConfigError
from adidem.core.llm import Gateway
from adidem.core.llm.redact import bare_url
from adidem.core.llm.routes import Transports
from adidem.core.registry.config import ModelSettings
from adidem.core.setup import Setup


class AgentSource:
    """Makes agents from specs, or from names of the registry's section `agents`. `settings` collects how each model is
    called, without any key, and `models` the same for whoever calls. `concurrency` calls are made at once at most; with
    `share` it is one of so many that call the same endpoints. Where no model is `called`, none needs a key."""

    def __init__(self, setup: Setup, concurrency: int | None = None, share: int = 1, *, called: bool = True) -> None:
        self.setup = setup
        self.settings: dict[str, Any] = {}
        self.models: dict[str, tuple[str, ModelSettings]] = {}
        llm = setup.registry.llm
        self.gateway = Gateway(
            attempts=llm.attempts,
            timeout=llm.timeout,
            seconds=llm.deadline,
            concurrency=concurrency or llm.concurrency,
            transport=Transports(everything_by_litellm=llm.transport == "litellm"),
            share=share,
            called=called,
        )
        self._agents: list[Agent] = []

    def agent(self, spec: str, who: str) -> Agent:
        """The agent of a spec, as `agent` or `partner` of the run. `--set WHO.x` goes before the named agent's own
        settings, and these before the model's.

        Raises:
            ConfigError: there is no such agent, or its model cannot be called as things are.
        """
        registry = self.setup.registry
        named = registry.agents.get(spec)
        model = spec if named is None else named.spec
        settings = merged(registry.models.get(model), named, getattr(self.setup.overrides, who))
        agent = agent_from_spec(model, self.gateway, settings, known=registry.agents)
        if not agent.scripted:
            self.note(who, model, settings)
        self._agents.append(agent)
        return agent

    def note(self, who: str, model: str, settings: ModelSettings) -> None:
        """Keep how a model is called, for the run's configuration."""
        self.settings[who] = {"model": model, **shown(settings)}
        self.models[who] = (model, settings)

    async def close(self) -> None:
        """Let go of every agent and of the gateway."""
        for agent in self._agents:
            await agent.close()
        await self.gateway.close()


def merged(*settings: ModelSettings | None) -> ModelSettings:
    """Settings laid over one another: what a later one says goes before what an earlier one says."""
    found: dict[str, Any] = {}
    for layer in settings:
        if layer is None:
            continue
        for field in attrs.fields(ModelSettings):
            value = getattr(layer, field.name)
            if field.name == "extra":
                found["extra"] = {**found.get("extra", {}), **value}
            elif value is not None:
                found[field.name] = value
    return ModelSettings(**found)


def shown(settings: ModelSettings) -> dict[str, Any]:
    """Settings as they are stored: what was said, the endpoint without credentials."""
    said = {name: value for name, value in attrs.asdict(settings).items() if value not in (None, {})}
    if "api_base" in said:
        said["api_base"] = bare_url(said["api_base"])
    return said


def directives(parts: Sequence[tuple[Barrier, float]]) -> list[Directive]:
    """What each barrier tells a speaker.

    Raises:
        ConfigError: a barrier's own code failed; the barrier and its file are named.
    """

    def told(barrier: Barrier, severity: float) -> Directive:
        said: Any = barrier.directive(severity)
        if not isinstance(said, Directive):
            raise TypeError(f"directive gave {type(said).__name__}, not a Directive")
        return said

    return [contained(called("barrier", barrier), partial(told, barrier, at)) for barrier, at in parts]


def directed(agent: Agent, directives: Sequence[Directive]) -> Agent:
    """A model speaker that is told to talk as the directives say; a scripted one is left as it is (its words are
    distorted instead), and so is one that is told nothing.

    Raises:
        ConfigError: the agent cannot be told how to talk.
    """
    told = combined(directives)
    if agent.scripted or told.empty:
        return agent
    tell = getattr(agent, "directed", None)
    if tell is None:
        raise ConfigError(f"{agent.name} cannot be given a barrier: put it on the other speaker with --barrier-on")
    found: Agent = tell(told)
    return found
