"""The episodes that a page embeds: all of a small run, conversations folded; of a large run none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import orjson
from attrs import frozen

from adidem.core.domain import SEATS, Episode, Public
from adidem.core.outcomes import outcomes_of
from adidem.core.report.causes import why
from adidem.core.report.text import cell, passage
from adidem.core.runs.store import RunStore

MOST = 500
"""Runs with more episodes are summarised, and embed none: `adidem view` pages through them."""

BUDGET = 1_800_000
"""Bytes of conversations in a page; those of episodes that did not succeed go first."""

TURN = 2000
"""The longest turn, in characters; what is cut says so."""

VERDICTS = {True: "yes", False: "no", None: "unscored"}


@frozen(unsafe_hash=False)
class Told:
    """One episode as a page shows it. `strayed`: whoever was given the barrier did not comply. `talk` is (speaker,
    action, text) a turn, `wrote` (person, text) a record; both are empty, and `left_out` is true, where the page has no
    room."""

    key: str
    condition: str
    verdicts: Mapping[str, str]
    success: str
    facts: Sequence[str]
    strayed: bool = False
    talk: Sequence[tuple[str, str, str]] = ()
    wrote: Sequence[tuple[str, str]] = ()
    left_out: bool = False


def told(store: RunStore, number: int) -> tuple[list[Told], str]:
    """The episodes of a run of `number` episodes, and why some of it is left out (empty: nothing is)."""
    if number > MOST:
        return [], f"{number:,} episodes are too many to embed; `adidem view {cell(store.folder)}` pages through them"
    publics = {scenario.id: scenario.public for scenario in store.scenarios()}
    episodes = list(store.episodes())
    shown = [_shown(episode, publics.get(episode.scenario)) for episode in episodes]
    order = sorted(range(len(shown)), key=lambda place: (shown[place].success == "yes", place))
    left, out = BUDGET, 0
    for place in order:
        left -= _length(shown[place])
        if left < 0:
            shown[place] = _without(shown[place])
            out += 1
    note = f"{out} conversations are left out to keep the file small; `adidem view` shows them" if out else ""
    return shown, note


def _length(one: Told) -> int:
    return sum(_bytes(text) + 90 for *_, text in one.talk) + sum(_bytes(text) + 60 for _, text in one.wrote)


def _bytes(text: str) -> int:
    """How many a text takes in the page: escaped, as UTF-8."""
    return len(escape(text).encode())


def _without(one: Told) -> Told:
    return Told(one.key, one.condition, one.verdicts, one.success, one.facts, one.strayed, left_out=True)


def _shown(episode: Episode, public: Public | None) -> Told:
    outcomes = outcomes_of(episode)
    names = {seat: cell(public.name(seat) if public else seat, 60) for seat in SEATS}
    return Told(
        key=cell(episode.task) + (f" (repeat {episode.repeat})" if episode.repeat else ""),
        condition="" if episode.barrier == "none" else cell(episode.barrier),
        verdicts={
            "Feasibility": VERDICTS[outcomes.feasibility],
            "Integrity": VERDICTS[outcomes.integrity],
            "Verified Success": VERDICTS[outcomes.verified_success],
        },
        success="failed" if episode.status == "failed" else VERDICTS[outcomes.verified_success],
        facts=[*_facts(episode, names), *_barrier(episode, names)],
        strayed=_kept(episode).get("complied") is False,
        talk=[
            (names[turn.seat], "" if turn.action == "speak" else cell(turn.action), passage(turn.text, TURN))
            for turn in episode.turns
        ],
        wrote=[(names[seat], _wrote(written)) for seat, written in episode.records.items()],
    )


def _facts(episode: Episode, names: Mapping[Any, str]) -> list[str]:
    lines = [f"tested: {names[episode.seat]}; right: {episode.due or 'not known'}; ended: {cell(episode.ended)}"]
    if episode.cause is not None:
        lines.append(f"failed: {cell(episode.cause.kind)}: {cell(episode.cause.message, 300)}")
    if episode.feasibility is not None:
        for failure in episode.feasibility.failures:
            said = why({"kind": failure.kind, "rule": failure.rule})
            lines.append(f"infeasible: {cell(said)}: {cell(failure.message, 300)}")
    for judgement in episode.judgements:
        scores = [
            f"{cell(r.dimension)} {'unscored' if r.score is None else format(r.score, 'g')}"
            + (f" ({names[r.seat]})" if r.seat else "")
            for r in judgement.ratings
        ]
        lines.append(f"{cell(judgement.judge)}: {', '.join(scores)}")
        rated = {rating.dimension for rating in judgement.ratings}
        lines += [
            f"{cell(judgement.judge)} {'quotes for' if flag.kind in rated else 'flags'} {cell(flag.kind)}: "
            f"“{cell(flag.quote, 200)}” {cell(flag.reason, 200)}"
            for flag in judgement.flags
            if flag.supported
        ]
    return lines


def _kept(episode: Episode) -> Mapping[str, Any]:
    """What the episode keeps of its barrier; empty where it had none."""
    kept: Any = episode.extra.get("barrier")
    return kept if isinstance(kept, Mapping) else {}


def _barrier(episode: Episode, names: Mapping[Any, str]) -> list[str]:
    """Who talked through the barrier and whether that person complied; empty where there was none."""
    kept = _kept(episode)
    if not kept:
        return []
    who = names.get(kept.get("seat"), "not known")
    if kept.get("complied") is None:
        return [f"barrier: {who}; not measured: {cell(kept.get('error', ''), 200)}"]
    missed = [_missed(name, kept) for name in kept.get("missed") or ()]
    did = "complied" if kept["complied"] else "did not comply"
    return [f"barrier: {who} {did}" + (f"; outside the quotas: {', '.join(missed)}" if missed else "")]


def _missed(name: Any, kept: Mapping[str, Any]) -> str:
    """`hedges 0.50 of 2 to 4`."""
    observed, bounds = (kept.get("observed") or {}).get(name), (kept.get("quotas") or {}).get(name)
    if not isinstance(bounds, list | tuple) or len(bounds) != 2 or not isinstance(observed, int | float):
        return cell(name, 60)
    return f"{cell(name, 60)} {observed:.2f} of {bounds[0]:g} to {bounds[1]:g}"


def _wrote(written: Any) -> str:
    if written.unreadable is not None:
        return f"cannot be read ({cell(written.unreadable, 200)}): {passage(_json(written.raw), 600)}"
    return passage(f"{written.outcome} {_json(written.terms) if written.terms is not None else ''}".strip(), 600)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
