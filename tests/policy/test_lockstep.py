"""Sampling in lockstep over a kept cache: the laws that make it the same as sampling alone, from scratch."""

from __future__ import annotations

from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.policy.contracts import Ask
from adidem.core.policy.draw import GREEDY, Draw
from adidem.core.policy.lockstep import Lockstep
from adidem.core.policy.picking import pick
from adidem.core.policy.tiny import Shape, tiny
from letters import END, PROBE, TURN, VOCABULARY, Letters

USUAL = Draw(0.8)
SMALL = Shape(width=32, layers=2, heads=4, inner=48, positions=256)
POLICY = tiny(Letters(), VOCABULARY, SMALL, seed=2)
with torch.no_grad():  # a model that prefers some tokens by far, so that rows end at different steps
    POLICY.model.lm_head.weight.mul_(25.0)


def ask(tokens: list[int], stream: Random, most: int = 9, ends: frozenset[int] = frozenset(range(64))) -> Ask:
    return Ask(tokens, ends, most, stream)


Found = tuple[list[int], list[float], list[bool]]
"""A conversation's ids, their log-probs where they were drawn, and which were drawn."""


def played(
    openings: list[list[int]],
    draw: Draw = USUAL,
    *,
    turns: int = 4,
    forks: bool = False,
    least: int = 1,
    only: set[int] | None = None,
) -> dict[int, Found]:
    """Conversations of a few turns, something heard before each. The streams, what is heard, who takes part in a turn
    and when a row is done depend on the row's own number alone."""
    rows = sorted(only if only is not None else range(len(openings)))
    engine = Lockstep(POLICY.trunk, [openings[row] for row in rows], least=least)
    streams = [Random(f"row {row}") for row in rows]
    found = {row: (list(openings[row]), [0.0] * len(openings[row]), [False] * len(openings[row])) for row in rows}
    for turn in range(turns):
        asks = {}
        for at, row in enumerate(rows):
            if turn > row % 4 or (row + turn) % 5 == 4:
                continue  # done, or not its turn
            heard = [*range(65, 65 + (row * 3 + turn) % 7), TURN]
            fork_first = forks and row % 2 == 0 and heard[:-1]
            if fork_first:  # what was heard stays, as before a probe after the partner's reply
                off = {at: Ask([*heard[:-1], PROBE], frozenset({END}), 5, Random(row), stay=len(heard) - 1)}
                engine.sample(off, draw, keep=False)
            asks[at] = ask([TURN] if fork_first else heard, streams[at])
            grow(found[row], heard, [0.0] * len(heard), sampled=False)
        for at, drawn in engine.sample(asks, draw).items():
            grow(found[rows[at]], drawn.ids, drawn.logps, sampled=True)
        if forks:
            off = {at: ask([END, PROBE], Random(f"fork {at} {turn}"), 6) for at in asks if (at + turn) % 3}
            engine.sample(off, GREEDY if turn % 2 else draw, keep=False)
        engine.drop([at for at, row in enumerate(rows) if turn == row % 4])
    return found


def grow(one: Found, ids: list[int], logps: list[float], *, sampled: bool) -> None:
    one[0].extend(ids)
    one[1].extend(logps)
    one[2].extend([sampled] * len(ids))


def openings(count: int, seed: int = 0) -> list[list[int]]:
    """Openings of unlike lengths; every third is the one before it again, as samples of one task are."""
    rng = Random(seed)
    found: list[list[int]] = []
    for row in range(count):
        again = row % 3 == 2
        found.append(list(found[-1]) if again else [rng.randrange(128) for _ in range(rng.randint(1, 20))])
    return found


@pytest.mark.parametrize("temperature", [1.0, 0.6, 1.7])
def test_trap_9_log_probs_from_the_cache_are_those_of_a_full_forward(temperature: float) -> None:
    """So the ratio to the behaviour is 1 at the first step, also for temperature ≠ 1 and unequal lengths."""
    found = played(openings(11), Draw(temperature))
    ids = torch.full((11, max(len(each[0]) for each in found.values())), POLICY.codec.pad)
    for row, (tokens, _, _) in found.items():
        ids[row, : len(tokens)] = torch.tensor(tokens)
    lengths = torch.tensor([len(found[row][0]) for row in range(11)])
    scored = POLICY.score(ids, lengths, temperature=temperature).logp.detach()
    for row, (tokens, logps, drawn) in found.items():
        for at in range(1, len(tokens)):
            if drawn[at]:
                assert scored[row, at - 1].item() == pytest.approx(logps[at], abs=1e-4)


def test_trap_17_a_fork_changes_nothing() -> None:
    """Tokens are the same with forks and without, and so are log-probs, up to the rounding of another batch's sums."""
    without, forked = played(openings(11)), played(openings(11), forks=True)
    for row, (ids, logps, _) in without.items():
        assert forked[row][0] == ids
        assert forked[row][1] == pytest.approx(logps, abs=1e-4)


@settings(max_examples=8)
@given(st.sets(st.integers(0, 10), min_size=1))
def test_a_row_does_not_depend_on_the_others(rows: set[int]) -> None:
    """Alone, among few and among many, whatever the others' lengths."""
    whole, some = played(openings(11)), played(openings(11), only=rows)
    for row in rows:
        assert some[row][0] == whole[row][0]
        assert some[row][1] == pytest.approx(whole[row][1], abs=1e-4)


def test_when_a_batch_is_made_smaller_is_no_matter() -> None:
    """At every half, at some, never."""
    runs = [played(openings(11), least=least) for least in (1, 5, 1000)]
    for run in runs[1:]:
        for row, (ids, logps, _) in run.items():
            assert ids == runs[0][row][0]
            assert logps == pytest.approx(runs[0][row][1], abs=1e-4)


def test_greedy_is_the_likeliest_of_a_full_forward() -> None:
    found = played(openings(4), GREEDY, turns=2)
    for tokens, _, drawn in found.values():
        logits = POLICY.model(torch.tensor([tokens])).logits[0]
        for at in range(1, len(tokens)):
            if drawn[at]:
                top = logits[at - 1].topk(2)
                assert tokens[at] == top.indices[0] or top.values[0] - top.values[1] < 1e-4


def test_an_ask_ends_at_its_end_or_at_the_most() -> None:
    engine = Lockstep(POLICY.trunk, openings(6))
    asks = {row: Ask([TURN], frozenset({END}), 1 + row, Random(row)) for row in range(6)}
    for row, drawn in engine.sample(asks, Draw()).items():
        assert len(drawn.ids) <= 1 + row
        assert END not in drawn.ids[:-1]


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.5, 1.0), (1.0, 0.8)])
def test_draws_follow_the_distribution(temperature: float, top_p: float) -> None:
    """20000 draws against the exact shares; a token of no weight is never drawn."""
    logits = torch.tensor([[2.0, 1.0, 0.0, -1.0, -float("inf"), 0.5]]).expand(20000, -1)
    streams = [Random(each) for each in range(20000)]
    drawn, logps = pick(logits, Draw(temperature, top_p), streams)
    shares = (logits[0] / temperature).softmax(-1)
    order = shares.sort(descending=True)
    kept = order.indices[(order.values.cumsum(0) - order.values) < top_p] if top_p < 1 else torch.arange(6)
    wanted = torch.zeros(6)
    wanted[kept] = shares[kept] / shares[kept].sum()
    seen = torch.bincount(torch.tensor(drawn), minlength=6) / 20000
    assert torch.allclose(seen, wanted, atol=0.012)
    assert seen[4] == 0
    assert logps[0] == pytest.approx(shares[drawn[0]].log().item(), abs=1e-5)


def test_an_empty_opening_is_refused() -> None:
    with pytest.raises(ValueError, match="no token"):
        Lockstep(POLICY.trunk, [[1, 2], []])
