"""Scripted agents: they talk in plain sentences, understand only what is said, and work for any family."""

from adidem.core.agents.scripted.agent import MANNERS, Manner, ScriptedAgent

__all__ = ["MANNERS", "Manner", "ScriptedAgent"]
