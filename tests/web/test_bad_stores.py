"""Stores that hold what no run writes, or that go away while they are looked at: a page that says so."""

from __future__ import annotations

from attrs import evolve

from adidem.core.domain import Usage

LARGEST = 2**63 - 1


def test_counts_beyond_64_bits_are_shown_and_ordered_by(copied, ask, episodes):
    used = {"agent": Usage(LARGEST, LARGEST, LARGEST)}
    copied(change=lambda e: evolve(e, usage=used if e.world == "a" else {"agent": Usage(1, 2, 3)}))
    for order in ("task", "tokens"):
        answer = ask("/episodes", run="run", order=order)
        assert answer.status == 200
        assert "1.84e+19" in answer.text
    one = next(e for e in episodes if e.world == "a")
    for path in ("/episode", "/episode.json"):
        assert ask(path, run="run", task=one.task, condition=one.barrier, order="tokens").status == 200
