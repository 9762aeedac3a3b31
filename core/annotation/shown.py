"""What an annotator is shown of an episode, and nothing else of it: situation, cards, conversation, records.

Who spoke, under which condition, what the rules and judges said, how long it took: none of it has a place here, so
none can get into a sheet. All text is as `shown` gives it: a character that cannot be
seen, or turns text around, is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson
from attrs import frozen

from adidem.core.domain import SEATS, Episode, Scenario, Seat, Turn, World, Written
from adidem.core.judging import shown

ACTIONS = {"leave": "leaves", "none": "does nothing", "action": "does", "non-verbal communication": "without words"}


@frozen
class Person:
    """One of the two: the name, who they are, and what they alone know."""

    name: str
    about: str
    card: tuple[str, ...]


@frozen
class Situation:
    """What a conversation is about: the public context and both cards."""

    story: str
    brief: str
    approver: str
    relation: str
    people: tuple[Person, ...]


@frozen
class Said:
    """One turn: its number from 1, the speaker's name, the text, and what was done beside speaking."""

    number: int
    name: str
    text: str
    does: str


@frozen
class Wrote:
    """One record: whose, the outcome, the terms as (name, value) lines; or `unread`, what was written as it stands."""

    name: str
    outcome: str
    terms: tuple[tuple[str, str], ...]
    unread: str


@frozen
class Talk:
    """One conversation with the records written after it."""

    turns: tuple[Said, ...]
    records: tuple[Wrote, ...]


def situation_of(world: World) -> Situation:
    """The public context and both cards of a world."""
    public = world.public
    return Situation(
        story=shown(public.story.strip()),
        brief=shown(public.brief.strip()),
        approver=shown(public.approver or ""),
        relation=shown(str(public.facts.get("relationship") or "")),
        people=tuple(_person(world, seat) for seat in SEATS),
    )


def _person(world: World, seat: Seat) -> Person:
    card = world.card(seat)
    about = world.public.roles[SEATS.index(seat)].about
    sentences = (c.text.strip() or f"{c.kind}: {_plain(c.value)}" for c in card.conditions)
    return Person(shown(card.name), shown(about), tuple(shown(sentence) for sentence in sentences))


def talk_of(episode: Episode, scenario: Scenario) -> Talk:
    """The conversation and the records of an episode."""
    name = scenario.public.name
    return Talk(
        turns=tuple(_said(turn, name(turn.seat)) for turn in episode.turns),
        records=tuple(_wrote(episode.records[s], name(s)) for s in SEATS if s in episode.records),
    )


def _said(turn: Turn, name: str) -> Said:
    return Said(turn.index + 1, shown(name), shown(turn.text), ACTIONS.get(turn.action, ""))


def _wrote(written: Written, name: str) -> Wrote:
    if written.outcome is None:
        return Wrote(shown(name), "", (), shown(_plain(written.raw)) or "(nothing)")
    terms = written.terms if isinstance(written.terms, Mapping) else {}
    lines = tuple((shown(str(key)), shown(_plain(value))) for key, value in terms.items())
    return Wrote(shown(name), written.outcome, lines, "")


def _plain(value: Any) -> str:
    """A JSON value as a person would write it down."""
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_plain(inner) for inner in value)
    return str(value)


def digest(episode: Episode) -> str:
    """A hash of what was said, by which a sheet and a run are known to speak of the same conversation."""
    said = [[turn.seat, turn.action, turn.text] for turn in episode.turns]
    return blake2b(orjson.dumps(said), digest_size=12).hexdigest()
