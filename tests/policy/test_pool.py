"""What is kept between calls changes what they cost and nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adidem.core.policy import pool as pools
from adidem.core.policy.contracts import Ask
from adidem.core.policy.draw import Draw
from adidem.core.policy.lockstep import Lockstep
from adidem.core.policy.pool import Call, Pool
from adidem.core.policy.tiny import Shape, tiny
from letters import VOCABULARY, Letters

TRUNK = tiny(Letters(), VOCABULARY, Shape(width=32, layers=2, heads=4, inner=48), seed=2).trunk
ENDS = frozenset(range(40))
DRAW = Draw(0.9)


def ask(seed: str) -> Ask:
    return Ask([130], ENDS, 6, Random(seed))


def alone(tokens: list[int], seed: str) -> list[int]:
    """What is drawn with nothing kept."""
    return Lockstep(TRUNK, [tokens]).sample({0: ask(seed)}, DRAW)[0].ids


@settings(max_examples=12)
@given(st.integers(0, 1000), st.sampled_from([10, 200, 10_000]), st.sampled_from([0, 3, 96]))
def test_calls_draw_what_they_would_alone(seed: int, most: int, short: int) -> None:
    """Conversations that grow, fork and start anew, in batches of some of them, whatever is kept."""
    rng = Random(seed)
    pool = Pool(TRUNK, most)
    told = {key: [rng.randrange(128) for _ in range(rng.randint(1, 12))] for key in range(5)}
    kept, pools.SHORT = pools.SHORT, short
    try:
        for turn in range(4):
            batch = [key for key in told if rng.random() < 0.7]
            calls = [Call(key, list(told[key]), ask(f"{key} {turn}")) for key in batch]
            found = pool.sample(calls, DRAW)
            for call, drawn in zip(calls, found, strict=True):
                assert drawn.ids == alone(call.tokens, f"{call.key} {turn}")
                grown = rng.random()
                if grown < 0.6:  # a turn, and something heard
                    told[call.key] += [130, *drawn.ids, *(rng.randrange(128) for _ in range(rng.randint(0, 5)))]
                elif grown < 0.8:  # it was a record: the conversation is as it was
                    continue
                else:  # another history altogether
                    told[call.key] = [rng.randrange(128) for _ in range(rng.randint(1, 12))]
    finally:
        pools.SHORT = kept


def test_what_is_shared_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fed: list[int] = []
    hidden = TRUNK.hidden

    def counted(ids, *args, **more):
        fed.append(ids.numel())
        return hidden(ids, *args, **more)

    monkeypatch.setattr(TRUNK, "hidden", counted)
    pool = Pool(TRUNK, 10_000)
    tokens = list(range(40, 120))
    first = pool.sample([Call("a", tokens, ask("x"))], DRAW)[0].ids
    fed.clear()
    pool.sample([Call("a", [*tokens, 130, *first, 50, 51], ask("y"))], DRAW)
    assert sum(fed) < 15


def test_it_forgets_what_was_called_longest_ago() -> None:
    pool = Pool(TRUNK, 400)
    for key in range(6):
        pool.sample([Call(key, list(range(40, 60)), ask("x"))], DRAW)
    assert 0 < len(pool._kept) < 6
    assert 5 in pool._kept
    assert pool._held() <= 400


def test_no_calls_draw_nothing() -> None:
    assert Pool(TRUNK, 10).sample([], DRAW) == []
