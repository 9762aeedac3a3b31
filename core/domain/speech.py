"""Descriptions that components give of themselves: a judge's dimensions, a barrier's directive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import field, frozen


@frozen
class Dimension:
    """A scale that a judge rates on: bounds included; one score per seat or one for the episode."""

    name: str
    low: float
    high: float
    scope: Literal["seat", "episode"] = "episode"


@frozen(unsafe_hash=False)
class Directive:
    """How a barrier talks at one severity: layer one is the style, layer two four slots and quotas per turn.

    `quotas` maps a measure's name to its (least, greatest) value per turn.
    """

    style: str
    stance: str
    tactics: tuple[str, ...]
    mechanisms: tuple[str, ...]
    exemplars: tuple[str, ...]
    quotas: Mapping[str, tuple[float, float]] = field(factory=dict)
    sources: tuple[str, ...] = ()
