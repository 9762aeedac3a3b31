"""Rows of a kept cache: fed, drawn from in step, made smaller as they are done."""

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
        if width > self.cache.columns:
            self.cache.room(max(width, self.cache.columns + self.cache.columns // 2))  # so that growing is seldom
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


def draw_rows(
    block: Block, fed: dict[int, list[int]], asks: Mapping[int, Ask], draw: Draw, *, keep: bool = True, least: int = FEW
) -> dict[int, Sampled]:
    """Feed some rows, then draw from them in step; a batch of which half is done goes on as a smaller one. The token
    drawn last is not fed. Without `keep` what is drawn need not be in the block afterwards."""
    rows = list(fed)
    if len(rows) <= len(block.lengths) // 2 and len(block.lengths) > least:
        return _narrower(block, fed, asks, draw, keep=keep, back=True, least=least)
    found = {row: Sampled() for row in rows}
    hidden = block.feed(fed)
    while True:
        ids, logps = pick(block.trunk.logits(hidden), draw, [asks[row].stream for row in rows])
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
        if len(rows) <= len(block.lengths) // 2 and len(block.lengths) > least:
            rest = {row: _rest(asks[row], found[row]) for row in rows}
            for row, more in _narrower(block, live, rest, draw, keep=keep, back=keep, least=least).items():
                found[row].ids += more.ids
                found[row].logps += more.logps
            return found
        hidden = block.feed(live)


def _narrower(
    block: Block,
    fed: dict[int, list[int]],
    asks: Mapping[int, Ask],
    draw: Draw,
    *,
    keep: bool,
    back: bool,
    least: int,
) -> dict[int, Sampled]:
    """The same in a batch of these rows alone, which is written back where told: always where something is fed that
    stays, and not where a fork goes on."""
    rows = list(fed)
    room = max(len(fed[row]) + asks[row].most for row in rows)
    part = block.narrowed(rows, room)
    drawn = draw_rows(
        part,
        {at: fed[row] for at, row in enumerate(rows)},
        {at: asks[row] for at, row in enumerate(rows)},
        draw,
        keep=keep,
        least=least,
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
def opened(trunk: Trunk, openings: Sequence[Sequence[int]]) -> Block:
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
