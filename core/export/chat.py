"""Conversations of the tested seat as chat messages: for supervised fine-tuning, and as pairs of preferences.

Layouts: `messages`, and `prompt`/`chosen`/`rejected` with messages in them, as TRL's SFT and DPO trainers read them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from random import Random
from typing import Any

import orjson
from attrs import frozen

from adidem.core.agents.chat import ChatAgent
from adidem.core.contracts import Family
from adidem.core.domain import Conversation, Episode, RoleCard, Scenario
from adidem.core.errors import UnknownName
from adidem.core.export.scores import HEADLINES, scores_of
from adidem.core.llm import Gateway
from adidem.core.outcomes import outcomes_of
from adidem.core.play.converse import seen_by
from adidem.core.records import record_schema
from adidem.core.runs.store import RunStore

Message = dict[str, str]

_GATEWAY = Gateway()
"""Nothing is asked of it: an agent is made with one."""

BY = "verified_success"
"""The score in which the two of a pair differ, where none is named."""

SPEAKER = "hf:export"
"""A name of the kind of model that is told of tools in words, so that all messages are texts."""


@frozen(eq=False)
class Told:
    """What a model in the tested seat was told and said, its record included, with the scored episode it is of and what
    that came to by name (None: unscored)."""

    episode: Episode
    messages: tuple[Message, ...]
    scores: Mapping[str, float | None]


def told(episode: Episode, scenario: Scenario, family: Family) -> Told:
    """An episode as its tested seat saw it: the prompt of a model speaker, the partner's turns as a user's, its own as
    an assistant's, then the request for the record and what was recorded. A barrier's directive and advice against
    barriers are no part of it, whoever spoke."""
    card = scenario.world(episode.world).card(episode.seat)
    return Told(episode, tuple(_messages(episode, card, family)), scores_of(episode))


def _messages(episode: Episode, card: RoleCard, family: Family) -> list[Message]:
    history: Conversation = seen_by(episode.turns, episode.seat)
    speaker = ChatAgent(SPEAKER, _GATEWAY).join(family, (), card, Random(0))
    record = episode.records.get(episode.seat)
    if record is None:
        return [dict(message) for message in speaker.messages(history)]
    raw = {"outcome": record.outcome, "terms": record.terms} if record.outcome is not None else record.raw
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    asked = speaker.record_messages(history, record_schema(family, card.public))
    return [*(dict(message) for message in asked), {"role": "assistant", "content": text}]


def sft(store: RunStore, families: Mapping[str, Family]) -> Iterator[bytes]:
    """One JSON object for each scored episode: `messages`, and what to choose by: `task`, `barrier`, `repeat`,
    `feasibility`, `integrity`, `verified_success`, and `scores`, what judges rated (null: unscored)."""
    for each in _all(store, families):
        found = outcomes_of(each.episode)
        yield orjson.dumps(
            {
                "messages": each.messages,
                **_key(each.episode),
                "feasibility": found.feasibility,
                "integrity": found.integrity,
                "verified_success": found.verified_success,
                "scores": {name: score for name, score in each.scores.items() if name not in HEADLINES},
            }
        )


def preferences(store: RunStore, families: Mapping[str, Family], by: str = BY) -> Iterator[bytes]:
    """One JSON object for each pair of two episodes of the same task and barrier, one of the best by the score `by` and
    one that is worse, at the message where they part: `prompt` is what both share, `chosen` and `rejected` what the
    tested seat said next.

    Each such episode is in a pair, the fewer ones in several; unscored ones in none. Two that part because the partner
    spoke otherwise have no prompt in common and make no pair.
    """
    for _, group in groupby(_all(store, families), key=lambda each: (each.episode.task, each.episode.barrier)):
        played = list(group)
        scored = [(score, each) for each in played if (score := each.scores.get(by)) is not None]
        best = max((score for score, _ in scored), default=0.0)
        yield from _pairs([e for s, e in scored if s == best], [e for s, e in scored if s < best])


def must_score(store: RunStore, by: str) -> None:
    """Raises UnknownName where no episode has such a score."""
    known: set[str] = set(HEADLINES)
    for episode in store.episodes():
        if by in known:
            return
        known.update(scores_of(episode))
    if by not in known:
        raise UnknownName("score", by, known)


def _pairs(good: Sequence[Told], bad: Sequence[Told]) -> Iterator[bytes]:
    made = set()
    for at in range(max(len(good), len(bad)) if good and bad else 0):
        chosen, rejected = good[at % len(good)], bad[at % len(bad)]
        line = _pair(chosen, rejected)
        if line is not None and line not in made:
            made.add(line)
            yield line


def _pair(chosen: Told, rejected: Told) -> bytes | None:
    both = zip(chosen.messages, rejected.messages, strict=False)
    shared = next((at for at, (one, two) in enumerate(both) if one != two), None)
    if shared is None or {m.messages[shared]["role"] for m in (chosen, rejected)} != {"assistant"}:
        return None
    return orjson.dumps(
        {
            "prompt": chosen.messages[:shared],
            "chosen": [chosen.messages[shared]],
            "rejected": [rejected.messages[shared]],
            "task": chosen.episode.task,
            "barrier": chosen.episode.barrier,
        }
    )


def _key(episode: Episode) -> dict[str, Any]:
    return {"task": episode.task, "barrier": episode.barrier, "repeat": episode.repeat}


def _all(store: RunStore, families: Mapping[str, Family]) -> Iterator[Told]:
    scenarios = store.played()
    for episode in store.episodes():
        if episode.status == "scored" and episode.turns:
            yield told(episode, scenarios[episode.scenario], families[episode.family])
