"""Scripted agents: they talk in plain sentences, understand only what is said, and work for any family."""

from adidem.core.agents.scripted.agent import ScriptedAgent
from adidem.core.agents.scripted.manner import MANNERS, Manner

__all__ = ["MANNERS", "Manner", "ScriptedAgent"]
