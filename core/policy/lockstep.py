"""Many conversations sampled together: every row is fed and asked in step with the others, over one kept cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from adidem.core.policy.block import FEW, MARGIN, draw_rows, opened
from adidem.core.policy.contracts import Ask, Sampled
from adidem.core.policy.draw import Draw
from adidem.core.policy.trunk import Trunk


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
        self._block = opened(trunk, openings)

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
        drawn = draw_rows(self._block, fed, local, draw, keep=keep, least=self.least)
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
