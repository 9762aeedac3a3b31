"""Probes of an episode, where it has any: the potential Φ after each policy turn, in numbers and as a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.domain import Episode

WITHIN, PAIRED = 0.25, 0.10
"""The weights of PaCPO's potential, for probes that were stored without one."""
WIDTH, HEIGHT, EDGE = 640, 180, 36


@frozen
class ProbeAt:
    """The probe after a turn: whether it passes in its own world, whether it passes in the other one (None: unread),
    whether the differing condition was out by then, and Φ."""

    turn: int
    within: bool | None
    elsewhere: bool | None
    disclosed: bool
    phi: float


def probes(episode: Episode) -> tuple[ProbeAt, ...]:
    """What `extra.probes` holds: a list of `{turn, within, elsewhere, disclosed}`, with `phi` where the potential was
    computed from both worlds' conversations. Without it Φ is 0.25·within + 0.10·(the probe, disclosed, fails in the
    other world). Whatever is no such entry is passed over."""
    said = episode.extra.get("probes")
    entries = said if isinstance(said, list | tuple) else ()
    return tuple(found for entry in entries if (found := _probe(entry)) is not None)


def _probe(entry: Any) -> ProbeAt | None:
    turn = entry.get("turn") if isinstance(entry, Mapping) else None
    if not isinstance(turn, int) or isinstance(turn, bool) or turn < 0:
        return None
    within, elsewhere = (v if isinstance(v := entry.get(name), bool) else None for name in ("within", "elsewhere"))
    disclosed, phi = entry.get("disclosed") is True, entry.get("phi")
    if isinstance(phi, bool) or not isinstance(phi, int | float) or not abs(phi) < 1e6:
        phi = WITHIN * (within is True) + PAIRED * (within is True and elsewhere is False and disclosed)
    return ProbeAt(turn, within, elsewhere, disclosed, float(phi))


@frozen(unsafe_hash=False)
class Chart:
    """A line a world over the turns: points in a box of `WIDTH` × `HEIGHT`, the ticks of both axes."""

    lines: Mapping[str, Sequence[tuple[float, float, ProbeAt]]]
    across: Sequence[tuple[float, int]]
    up: Sequence[tuple[float, float]]


def chart(found: Mapping[str, Sequence[ProbeAt]]) -> Chart | None:
    """The chart of the probes of each world; None where there are none."""
    every = [probe for line in found.values() for probe in line]
    if not every:
        return None
    last = max(1, *(probe.turn for probe in every))
    top = max(WITHIN + PAIRED, *(probe.phi for probe in every))
    low = min(0.0, *(probe.phi for probe in every))

    def x(turn: int) -> float:
        return round(EDGE + (WIDTH - 2 * EDGE) * turn / last, 1)

    def y(phi: float) -> float:
        return round(HEIGHT - EDGE - (HEIGHT - 1.5 * EDGE) * (phi - low) / (top - low), 1)

    step = max(1, last // 12)
    return Chart(
        {world: [(x(p.turn), y(p.phi), p) for p in line] for world, line in found.items() if line},
        [(x(turn), turn + 1) for turn in range(0, last + 1, step)],
        [(y(value), round(value, 2)) for value in sorted({low, 0.0, WITHIN, top})],
    )
