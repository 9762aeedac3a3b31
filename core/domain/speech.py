"""Descriptions that components give of themselves: a judge's dimensions, a barrier's directive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from attrs import field, frozen


@frozen
class Dimension:
    """A scale that a judge rates on: bounds included; one score per seat or one for the episode.

    `about` says in a few words what a score on it means, for reports. A `baseline` is no measure of who spoke: it is
    what others made of the same tasks, and reports show it apart.
    """

    name: str
    low: float
    high: float
    scope: Literal["seat", "episode"] = "episode"
    about: str = ""
    baseline: bool = False


@frozen(unsafe_hash=False)
class Directive:
    """How a barrier talks at one severity: layer one is the style, layer two four slots and quotas per turn.

    `quotas` maps a measure's name to its (least, greatest) value per turn. One without any text is `empty`: a speaker
    is then told nothing.
    """

    style: str
    stance: str
    tactics: tuple[str, ...]
    mechanisms: tuple[str, ...]
    exemplars: tuple[str, ...]
    quotas: Mapping[str, tuple[float, float]] = field(factory=dict)
    sources: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it that a speaker could be told."""
        return not (self.style or self.stance or self.tactics or self.mechanisms or self.exemplars)


def combined(directives: Sequence[Directive]) -> Directive:
    """Several directives as one, the empty ones left out: texts one after the other; for a quota in both the bounds
    that both allow, and where there are none, the later one's."""
    told = [directive for directive in directives if not directive.empty]
    if len(told) == 1:
        return told[0]
    quotas: dict[str, tuple[float, float]] = {}
    for directive in told:
        for name, (low, high) in directive.quotas.items():
            before = quotas.get(name, (low, high))
            both = (max(before[0], low), min(before[1], high))
            quotas[name] = both if both[0] <= both[1] else (low, high)
    return Directive(
        style=" ".join(d.style for d in told),
        stance=" ".join(d.stance for d in told),
        tactics=tuple(t for d in told for t in d.tactics),
        mechanisms=tuple(m for d in told for m in d.mechanisms),
        exemplars=tuple(e for d in told for e in d.exemplars),
        quotas=quotas,
        sources=tuple(s for d in told for s in d.sources),
    )
