"""Episodes as canonical JSON lines: the form in which determinism is judged.

What depends on the machine, the clock or the network is left out: seconds, failed attempts and what was said of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs
import orjson
from attrs import evolve

from adidem.core.domain import Episode
from adidem.core.outcomes import outcomes_of
from adidem.core.runs.store import RunStore

if TYPE_CHECKING:
    import cattrs


@lru_cache(maxsize=1)
def _converter() -> cattrs.Converter:
    from cattrs.preconf.orjson import make_converter  # slow to import

    return make_converter()


def canonical(episode: Episode) -> dict[str, Any]:
    """An episode as JSON values, every field of it but those that two runs of one seed need not share; with its
    `outcomes`."""
    turns = tuple(evolve(turn, seconds=0.0) for turn in episode.turns)
    data: dict[str, Any] = _converter().unstructure(evolve(episode, turns=turns))
    del data["seconds"]
    for turn in data["turns"]:
        del turn["seconds"]
    for usage in data["usage"].values():
        del usage["failed"]
    if data["cause"] is not None:
        data["cause"] = {"kind": episode.cause.kind, "where": episode.cause.where} if episode.cause else None
    return {**data, "outcomes": attrs.asdict(outcomes_of(episode))}


def lines(store: RunStore) -> Iterator[bytes]:
    """One JSON object a line, in the order of task, barrier and repeat, keys sorted."""
    return (orjson.dumps(canonical(episode), option=orjson.OPT_SORT_KEYS) for episode in store.episodes())
