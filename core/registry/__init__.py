"""registry.yaml, from its text with every position kept to a typed, frozen configuration."""

from adidem.core.registry.config import LLM, SECTIONS, Entry, ModelSettings, Named, NamedAgent, Registry, Suite
from adidem.core.registry.load import PACKAGED, find_registry, read_registry
from adidem.core.registry.overrides import NO_OVERRIDES, Overrides, parse_overrides

__all__ = [
    "LLM",
    "NO_OVERRIDES",
    "PACKAGED",
    "SECTIONS",
    "Entry",
    "ModelSettings",
    "Named",
    "NamedAgent",
    "Overrides",
    "Registry",
    "Suite",
    "find_registry",
    "parse_overrides",
    "read_registry",
]
