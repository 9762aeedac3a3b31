"""The path between adidem and a model: one gateway for every agent and judge, and the small local model."""

from adidem.core.llm.failures import CallFailed
from adidem.core.llm.gateway import Gateway, ModelAnswer

__all__ = ["CallFailed", "Gateway", "ModelAnswer"]
