"""Who speaks: scripted agents, any model of the gateway, a person at the terminal."""

from adidem.core.agents.spec import agent_from_spec

__all__ = ["agent_from_spec"]
