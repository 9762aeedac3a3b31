"""Scenarios without the goals: a neutral text by rules or by a model, and what of either goal is still in it."""

from adidem.core.neutral.check import Leaks, leaks
from adidem.core.neutral.rules import Matter, Neutral, by_rules, opening

__all__ = ["Leaks", "Matter", "Neutral", "by_rules", "leaks", "opening"]
