"""Prints what barriers cost and what they do to scripted play: utterances a second, facts that arrive, success.

    .venv/bin/python benchmarks/barriers.py

The speed stands beside its bound, in processor time of one core; machines differ and are shared, so it is no test. The
rest is a mechanism check of scripted speakers and scripted listeners and says nothing about models.
"""

from __future__ import annotations

import asyncio
from random import Random
from statistics import fmean, median
from time import process_time

from adidem.core.agents.scripted import MANNERS, ScriptedAgent
from adidem.core.analysis.bootstrap import clustered_mean
from adidem.core.domain import SEATS, WORLDS, Episode, Task, other
from adidem.core.outcomes import outcomes_of
from adidem.core.play import JudgeSeat, play
from adidem.core.play import Setup as PlaySetup
from adidem.core.play import barrier as playing
from adidem.core.reach import reached
from adidem.core.runs.scenarios import Selection, select
from adidem.core.setup import load

SETUP = load()
SUITE = SETUP.suite("hico")
SEVERITIES = (0.0, 0.3, 0.6, 0.9)
ROUNDS = 5


def played(selection: Selection, parts: tuple = ()) -> list[tuple[Task, Episode]]:
    """The 240 test tasks with scripted:guarded and, behind the barrier, scripted:candid."""
    judges = tuple(JudgeSeat(name, SETUP.components.judges[name]) for name in SUITE.judges)
    guarded, candid = (ScriptedAgent(MANNERS[name]) for name in ("guarded", "candid"))
    setup = PlaySetup(guarded, candid, selection.rules, judges=judges, barrier=parts)
    tasks = [Task(s, w, seat) for s in selection.scenarios for w in WORLDS for seat in SEATS]

    async def all_of_them() -> list[tuple[Task, Episode]]:
        return [(task, await play(task, setup)) for task in tasks]

    return asyncio.run(all_of_them())


def speed(lines: list[str]) -> None:
    """`distort` of an utterance, as the two say them, and `measure` of what came of it, no utterance twice; their words
    were heard once before, as in any run but for its first second."""
    for name, barrier in SETUP.components.barriers.items():
        rng = Random(0)
        for line in lines:
            barrier.measure(barrier.distort(line, 0.7, rng))
        rates = []
        for part in range(ROUNDS):
            fresh = [f"{line} And {index} for {name}." for index, line in enumerate(lines, part * len(lines))]
            started = process_time()
            for line in fresh:
                barrier.measure(barrier.distort(line, 0.7, rng))
            rates.append(len(fresh) / (process_time() - started))
        words = fmean(len(line.split()) for line in lines) + 4
        print(f"{name:<26} distort + measure {median(rates):>9,.0f} /s   ({words:.0f} words each)   bound: ≥ 5,000 /s")


def course(selection: Selection) -> None:
    """Verified Success with its clustered interval, and the share of the partner's private facts that arrive, by
    severity; behind the bar the same where asking repairs nothing."""
    print("\nmechanism: scripted:guarded with scripted:candid behind the barrier, 240 test tasks")
    for name, barrier in SETUP.components.barriers.items():
        for severity in SEVERITIES:
            asked = _figures(selection, played(selection, ((barrier, severity),)))
            kept, playing.requests = playing.requests, lambda _history, _seat: 0
            unasked = _figures(selection, played(selection, ((barrier, severity),)))
            playing.requests = kept
            print(f"{name:<26} {severity:.1f}   {asked}   | no repair: {unasked}")


def _figures(selection: Selection, pairs: list[tuple[Task, Episode]]) -> str:
    success = clustered_mean([outcomes_of(e).verified_success for _, e in pairs], [e.scenario for _, e in pairs])
    heard = [
        reached(selection.rules[t.scenario.family], t.scenario.world(t.world), other(t.seat), e.turns) for t, e in pairs
    ]
    return f"VS {success.value:.3f} [{success.ci_low:.3f}, {success.ci_high:.3f}]  facts {fmean(heard):.3f}"


if __name__ == "__main__":
    chosen = select(SETUP, SUITE)
    speed([turn.text for _, episode in played(chosen) for turn in episode.turns])
    course(chosen)
