"""The agents of a run: made from their specs, sharing one gateway, closed together."""

from __future__ import annotations

from typing import Any

from adidem.core.contracts import Agent
from adidem.core.setup import Setup


class AgentSource:
    """Makes agents from specs. `settings` collects how each model is called, without any key."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.settings: dict[str, Any] = {}
        self._agents: list[Agent] = []

    def agent(self, spec: str, who: str) -> Agent:
        """The agent of a spec for `agent` or `partner`."""
        from adidem.core.agents.scripted import MANNERS, ScriptedAgent

        return ScriptedAgent(MANNERS[spec.removeprefix("scripted:")])

    async def close(self) -> None:
        """Let go of every agent and of the gateway."""
