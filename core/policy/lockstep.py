"""Many conversations sampled together: every row is fed and asked in step with the others, over one kept cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from attrs import define
from torch import Tensor

from adidem.core.errors import ConfigError
from adidem.core.policy.cache import RowCache, Window
from adidem.core.policy.contracts import Ask, Sampled
from adidem.core.policy.draw import Draw
from adidem.core.policy.picking import pick
from adidem.core.policy.trunk import Trunk

CHUNK = 6144
"""Tokens of openings that are fed at once: more makes nothing faster and only takes memory."""

MARGIN = 96
"""Columns that a new cache has room for beyond the openings; it grows where that is not enough."""

FEW = 8
"""A batch of so few rows is not made smaller."""


@define
class Block:
    """Rows of a cache with their lengths: what lies beyond a row's length does not exist."""

    trunk: Trunk
    cache: RowCache
    lengths: list[int]

    def feed(self, tokens: Mapping[int, Sequence[int]]) -> Tensor:
        """Add tokens (at least one) to some rows; the last hidden state [k, d] of each, in their order. The other rows
        take part and gain nothing: their token is written beyond their length."""
        n = max(len(each) for each in tokens.values())
        rows = len(self.lengths)
        ids, starts = [[0] * n for _ in range(rows)], list(self.lengths)
        for row, each in tokens.items():
            ids[row][: len(each)] = each
            self.lengths[row] += len(each)
        hidden = self._forward(ids, starts, n)
        lasts = [len(each) - 1 for each in tokens.values()]
        return hidden[list(tokens), lasts]

    def _forward(self, ids: list[list[int]], starts: list[int], n: int) -> Tensor:
        device = self.trunk.device
        width = max(starts) + n
        self.cache.room(width)
        positions = torch.tensor(starts, device=device)[:, None] + torch.arange(n, device=device)
        self.cache.window = Window(0, len(starts), positions, width)
        return self.trunk.hidden(
            torch.tensor(ids, device=device), positions, cache=self.cache, mask=_mask(positions, width, self.trunk)
        )

    def narrowed(self, rows: Sequence[int], room: int) -> Block:
        """A copy of some rows, with room for so many tokens more."""
        lengths = [self.lengths[row] for row in rows]
        width = max(lengths)
        index = torch.tensor(rows, device=self.trunk.device)
        return Block(self.trunk, self.cache.select(index, width + room), lengths)

    def take_back(self, rows: Sequence[int], part: Block) -> None:
        """Take over what a copy of these rows has gained."""
        low = min(self.lengths[row] for row in rows)
        index = torch.tensor(rows, device=self.trunk.device)
        self.cache.put(index, part.cache, low, max(part.lengths))
        for row, length in zip(rows, part.lengths, strict=True):
            self.lengths[row] = length


class Lockstep:
    """Conversations that advance together. A row starts with its opening; `sample` feeds rows and draws from them.

    The token drawn last is fed with what comes next, never alone. A fork is what is sampled with `keep` false: it
    leaves the row's tokens, its cache and its length as they were.
    """

    def __init__(self, trunk: Trunk, openings: Sequence[Sequence[int]], *, least: int = FEW) -> None:
        self.trunk = trunk
        self.least = least
        self._pending: list[list[int]] = [[] for _ in openings]
        self._place = {row: row for row in range(len(openings))}
        self._block = _opened(trunk, openings)

    async def sampled(self, asks: Mapping[int, Ask], draw: Draw, *, keep: bool = True) -> Mapping[int, Sampled]:
        """See `Sampler`."""
        return self.sample(asks, draw, keep=keep)

    @torch.inference_mode()
    def sample(self, asks: Mapping[int, Ask], draw: Draw, *, keep: bool = True) -> dict[int, Sampled]:
        """What each row that is asked draws."""
        if not asks:
            return {}
        place = self._place
        fed = {place[row]: [*self._pending[row], *ask.tokens] for row, ask in asks.items()}
        local = {place[row]: ask for row, ask in asks.items()}
        before = list(self._block.lengths)
        drawn = self._drawn(self._block, fed, local, draw, keep=keep)
        for row in asks:
            at = place[row]
            if keep:
                self._pending[row] = drawn[at].ids[-1:]
            else:  # what was pending is in the cache now; what was asked beyond it is forgotten
                self._block.lengths[at] = before[at] + len(self._pending[row]) + asks[row].stay
                self._pending[row] = []
        return {row: drawn[place[row]] for row in asks}

    @torch.inference_mode()
    def drop(self, rows: Sequence[int]) -> None:
        """Forget rows that are done, once they are half of those that are held."""
        for row in rows:
            self._place.pop(row, None)
        left = sorted(self._place)
        if len(left) > len(self._block.lengths) // 2 or not left:
            return
        self._block = self._block.narrowed([self._place[row] for row in left], MARGIN)
        self._place = {row: at for at, row in enumerate(left)}

    def _drawn(
        self, block: Block, fed: dict[int, list[int]], asks: Mapping[int, Ask], draw: Draw, *, keep: bool
    ) -> dict[int, Sampled]:
        """Feed, then draw in step; a batch of which half is done goes on as a smaller one."""
        rows = list(fed)
        if len(rows) <= len(block.lengths) // 2 and len(block.lengths) > self.least:
            return self._narrower(block, fed, asks, draw, keep=keep, back=True)
        found = {row: Sampled() for row in rows}
        hidden = block.feed(fed)
        while True:
            ids, logps = pick(self.trunk.logits(hidden), draw, [asks[row].stream for row in rows])
            live: dict[int, list[int]] = {}
            for row, token, logp in zip(rows, ids, logps, strict=True):
                one = found[row]
                one.ids.append(token)
                one.logps.append(logp)
                if token not in asks[row].ends and len(one.ids) < asks[row].most:
                    live[row] = [token]
            if not live:
                return found
            rows = list(live)
            if len(rows) <= len(block.lengths) // 2 and len(block.lengths) > self.least:
                rest = {row: _rest(asks[row], found[row]) for row in rows}
                for row, more in self._narrower(block, live, rest, draw, keep=keep, back=keep).items():
                    found[row].ids += more.ids
                    found[row].logps += more.logps
                return found
            hidden = block.feed(live)

    def _narrower(
        self,
        block: Block,
        fed: dict[int, list[int]],
        asks: Mapping[int, Ask],
        draw: Draw,
        *,
        keep: bool,
        back: bool,
    ) -> dict[int, Sampled]:
        """The same in a batch of these rows alone, which is written back where told: always where something is fed that
        stays, and not where a fork goes on."""
        rows = list(fed)
        room = max(len(fed[row]) + asks[row].most for row in rows)
        part = block.narrowed(rows, room)
        drawn = self._drawn(
            part,
            {at: fed[row] for at, row in enumerate(rows)},
            {at: asks[row] for at, row in enumerate(rows)},
            draw,
            keep=keep,
        )
        if back:
            block.take_back(rows, part)
        return {row: drawn[at] for at, row in enumerate(rows)}


def _rest(ask: Ask, found: Sampled) -> Ask:
    return Ask((), ask.ends, ask.most - len(found.ids), ask.stream)


def _mask(positions: Tensor, width: int, trunk: Trunk) -> Tensor:
    """[b, 1, n, width]: 0 where a token sees a column, which is up to its own position, and -inf elsewhere."""
    window, kinds = getattr(trunk.config, "sliding_window", None), getattr(trunk.config, "layer_types", None) or ()
    if window is not None and width > window and "sliding_attention" in kinds:
        raise ConfigError(f"a conversation of {width} tokens is longer than the model's window of {window}")
    dtype = trunk.head.weight.dtype
    seen = torch.arange(width, device=positions.device) <= positions[:, :, None]
    return torch.zeros(seen.shape, dtype=dtype, device=positions.device).masked_fill_(~seen, float("-inf"))[:, None]


@torch.inference_mode()
def _opened(trunk: Trunk, openings: Sequence[Sequence[int]]) -> Block:
    """A block of these openings. Equal ones, as the samples of one task have, are fed once and copied."""
    distinct = sorted({tuple(each) for each in openings}, key=len)
    if not distinct or not distinct[0]:
        raise ValueError("an opening holds no token: there is nothing to sample after")
    place = {each: at for at, each in enumerate(distinct)}
    columns = len(distinct[-1])
    cache = RowCache(trunk.config.num_hidden_layers, len(distinct), columns + MARGIN)
    start = 0
    while start < len(distinct):
        stop = start + 1
        while stop < len(distinct) and (stop + 1 - start) * len(distinct[stop]) <= CHUNK:
            stop += 1
        n = len(distinct[stop - 1])
        ids = torch.tensor([[*each, *[0] * (n - len(each))] for each in distinct[start:stop]], device=trunk.device)
        positions = torch.arange(n, device=trunk.device).expand(stop - start, -1)
        cache.window = Window(start, stop, positions, n)
        trunk.hidden(ids, positions, cache=cache, mask=_mask(positions[:1], n, trunk))
        start = stop
    rows = torch.tensor([place[tuple(each)] for each in openings], device=trunk.device)
    return Block(trunk, cache.select(rows, columns + MARGIN), [len(each) for each in openings])
