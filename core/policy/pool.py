"""What is kept between the calls of conversations that come and go: of each, the cache of all it shares with its last.

A call brings the whole conversation as tokens. What it has in common with the last call of the same conversation is not
computed again; a record is such a call like any other, and what it adds is simply not shared by the next.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence

import torch
from attrs import define

from adidem.core.policy.block import Block, draw_rows, opened
from adidem.core.policy.cache import RowCache
from adidem.core.policy.contracts import Ask, Sampled
from adidem.core.policy.draw import Draw
from adidem.core.policy.trunk import Trunk

SHORT = 96
"""So many new tokens are fed beside those of others; more than these are an opening of their own."""


@define
class Call:
    """Whose conversation it is, its tokens, and what is asked after them."""

    key: Hashable
    tokens: list[int]
    ask: Ask


@define
class _Kept:
    block: Block
    row: int
    ids: list[int]

    def shared(self, tokens: Sequence[int]) -> int:
        """How many tokens the two have in common at their start."""
        most = min(len(self.ids), len(tokens))
        return next((at for at in range(most) if self.ids[at] != tokens[at]), most)


class Pool:
    """Conversations of one model. It keeps at most so many tokens of them, those that were called last."""

    def __init__(self, trunk: Trunk, most: int) -> None:
        self.trunk, self.most = trunk, most
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    @torch.inference_mode()
    def sample(self, calls: Sequence[Call], draw: Draw) -> list[Sampled]:
        """What each call draws. No key is called twice at once."""
        fresh, known = self._sorted(calls)
        ordered = [*known, *fresh]
        if not ordered:
            return []
        block, fed = self._together(known, fresh)
        asks = {row: call.ask for row, call in enumerate(ordered)}
        drawn = draw_rows(block, fed, asks, draw)
        self._keep(ordered, block, drawn)
        found = {call.key: drawn[row] for row, call in enumerate(ordered)}
        return [found[call.key] for call in calls]

    def _sorted(self, calls: Sequence[Call]) -> tuple[list[Call], list[Call]]:
        """Those of which too little is kept, and the others."""
        fresh: list[Call] = []
        known: list[Call] = []
        for call in calls:
            kept = self._kept.get(call.key)
            new = kept is None or len(call.tokens) - kept.shared(call.tokens) > SHORT
            (fresh if new else known).append(call)
        return fresh, known

    def _together(self, known: Sequence[Call], fresh: Sequence[Call]) -> tuple[Block, dict[int, list[int]]]:
        """One block of all, and what each row is fed. One token at least is fed again, for its logits."""
        parts: list[tuple[RowCache, torch.Tensor]] = []
        lengths: list[int] = []
        fed: dict[int, list[int]] = {}
        for call in known:
            kept = self._kept[call.key]
            length = min(kept.shared(call.tokens), len(call.tokens) - (not call.ask.tokens))
            parts.append((kept.block.cache, torch.tensor([kept.row], device=self.trunk.device)))
            fed[len(lengths)] = [*call.tokens[length:], *call.ask.tokens]
            lengths.append(length)
        if fresh:
            new = opened(self.trunk, [call.tokens[: len(call.tokens) - (not call.ask.tokens)] for call in fresh])
            parts.append((new.cache, torch.arange(len(fresh), device=self.trunk.device)))
            for call, length in zip(fresh, new.lengths, strict=True):
                fed[len(lengths)] = [*call.tokens[length:], *call.ask.tokens]
                lengths.append(length)
        return Block(self.trunk, RowCache.joined(parts), lengths), fed

    def _keep(self, calls: Sequence[Call], block: Block, drawn: dict[int, Sampled]) -> None:
        """The block now holds what is known of these; what was called longest ago is forgotten."""
        for row, call in enumerate(calls):
            ids = [*call.tokens, *call.ask.tokens, *drawn[row].ids][: block.lengths[row]]
            self._kept[call.key] = _Kept(block, row, ids)
            self._kept.move_to_end(call.key)
        while self._kept and self._held() > self.most:
            self._kept.popitem(last=False)

    def _held(self) -> int:
        """Tokens that there is room for in all blocks that are still held."""
        blocks = {id(kept.block): kept.block for kept in self._kept.values()}
        return sum(block.cache.rows * block.cache.columns for block in blocks.values())
