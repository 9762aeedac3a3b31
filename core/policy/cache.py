"""A key-value cache of rows of unequal length that grow at their ends: in every row the column is the position.

What lies beyond a row's length is rubbish that no token sees and that is written over later. So a fork of a row costs
nothing: its tokens are written beyond the length, and forgotten by not counting them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from attrs import define
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin


@define
class Window:
    """What the next forward pass writes and reads: rows `start` … `stop`-1, at `positions` [b, n], and the columns
    below `width`."""

    start: int
    stop: int
    positions: Tensor
    width: int


class RowLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]  # its __init_subclass__ has no types
    """One layer: keys and values, made at the first write."""

    is_sliding = False

    def __init__(self, cache: RowCache) -> None:
        base: Any = super()
        base.__init__()
        self._cache = cache
        self.held: tuple[Tensor, Tensor] | None = None

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Write what is new where the cache's window says, and give all that a token there may see."""
        if self.held is None:
            self.lazy_initialization(key_states, value_states)
        at = self._cache.window
        rows = torch.arange(at.start, at.stop, device=key_states.device)[:, None]
        part = slice(at.start, at.stop), slice(None), slice(at.width)
        keys, values = self.both
        keys[rows, :, at.positions] = key_states.transpose(1, 2)
        values[rows, :, at.positions] = value_states.transpose(1, 2)
        return keys[part], values[part]

    @property
    def both(self) -> tuple[Tensor, Tensor]:
        """Keys and values, [rows, heads, columns, d] each."""
        assert self.held is not None
        return self.held

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Make room. Zeros and not just any memory: a NaN there would get through the mask."""
        keys, values = (
            states.new_zeros(self._cache.rows, states.shape[1], self._cache.columns, states.shape[3])
            for states in (key_states, value_states)
        )
        self.held = keys, values
        self.is_initialized = True

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """The mask is always given, four-dimensional; nothing is inferred from this."""
        return self._cache.window.width, 0

    def get_seq_length(self) -> int:
        """As above."""
        return self._cache.window.width

    def get_max_length(self) -> int:
        """No maximum: it grows."""
        return -1


class RowCache(Cache):
    """Keys and values of all layers for `rows` rows, with room for `columns` tokens each."""

    def __init__(self, layers: int, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.window = Window(0, 0, torch.zeros(0, 0), 0)
        self.ours = [RowLayer(self) for _ in range(layers)]
        super().__init__(layers=list(self.ours))

    def room(self, columns: int) -> None:
        """Grow to hold that many columns exactly."""
        if columns <= self.columns:
            return
        more = columns - self.columns
        self.columns = columns
        for layer in self.ours:
            if layer.held is not None:
                keys, values = (torch.nn.functional.pad(each, (0, 0, 0, more)) for each in layer.held)
                layer.held = keys, values

    def select(self, rows: Tensor, columns: int) -> RowCache:
        """A copy of some rows, a row as often as it is named, with room for `columns` at least. What lies beyond their
        lengths is copied too: one pass over the memory is faster than a smaller copy and room made beside it."""
        found = RowCache(len(self.ours), len(rows), self.columns)
        for mine, theirs in zip(self.ours, found.ours, strict=True):
            if mine.held is not None:
                keys, values = (each.index_select(0, rows) for each in mine.held)
                theirs.held, theirs.is_initialized = (keys, values), True
        found.room(columns)
        return found

    @classmethod
    def joined(cls, parts: Sequence[tuple[RowCache, Tensor]]) -> RowCache:
        """Rows of several caches in one, part after part, as wide as the widest."""
        columns = max(cache.columns for cache, _ in parts)
        chosen = [cache.select(rows, columns) for cache, rows in parts]
        columns = max(cache.columns for cache in chosen)
        for cache in chosen:
            cache.room(columns)
        found = cls(len(chosen[0].ours), sum(cache.rows for cache in chosen), columns)
        for at, layer in enumerate(found.ours):
            keys, values = (torch.cat([cache.ours[at].both[kind] for cache in chosen]) for kind in (0, 1))
            layer.held, layer.is_initialized = (keys, values), True
        return found

    def put(self, rows: Tensor, other: RowCache, low: int, high: int) -> None:
        """Write the columns `low` … `high`-1 of another's rows over those of `rows`, in their order."""
        self.room(high)
        for mine, theirs in zip(self.ours, other.ours, strict=True):
            for whole, part in zip(mine.both, theirs.both, strict=True):
                whole[rows, :, low:high] = part[:, :, low:high]
