"""MultiWOZ dialogues in the two published layouts, 2.1 and the schema layout of 2.2, as one.

2.1: `{id: {goal, log}}`, the state in `metadata` of the system's turns. 2.2: a list of
`{dialogue_id, services, turns}`, the state in the frames of the user's turns. 2.2 publishes no goals: there the goal is
what the user had asked for by the end (last state, all requested slots), unless the entry holds a `goal` of 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from adidem.core.language.patterns import Pattern
from adidem.core.records import storable
from adidem.plugins.families.woz import words

State = Mapping[str, Mapping[str, str]]
"""What is looked for in each domain: slot and value."""

CONSTRAINTS = ("info", "book", "fail_info", "fail_book")
"""The parts of a domain's goal that are slots and values."""

_TAG = Pattern(r"<[^<>]*>")


@frozen(unsafe_hash=False)
class Need:
    """What a user wants of one domain: constraints (`info`), a booking, slots to be told (`reqt`), and the constraints
    and booking that are to be tried first and will fail."""

    info: Mapping[str, str] = field(factory=dict)
    book: Mapping[str, str] = field(factory=dict)
    reqt: tuple[str, ...] = ()
    fail_info: Mapping[str, str] = field(factory=dict)
    fail_book: Mapping[str, str] = field(factory=dict)


@frozen(unsafe_hash=False)
class Said:
    """One turn: whose (`system` or not), its text, the state that it was said in, and the references of bookings that
    were known by then, by domain."""

    system: bool
    text: str
    state: State = field(factory=dict)
    references: Mapping[str, frozenset[str]] = field(factory=dict)


@frozen(unsafe_hash=False)
class Dialogue:
    """One dialogue: its id, what the user wants by domain, how that is told to the user, and what was said."""

    id: str
    goal: Mapping[str, Need]
    message: tuple[str, ...] = ()
    turns: tuple[Said, ...] = ()


def dialogue_of(key: str | None, entry: Any) -> Dialogue:
    """The dialogue of an entry in either layout. Fields that are not known here are no mistake.

    Raises:
        ValueError: it is none; the message names what is missing or wrong.
    """
    if not isinstance(entry, Mapping):
        raise ValueError(f"a dialogue is a JSON object, not {type(entry).__name__}")
    id_ = key or entry.get("dialogue_id") or entry.get("id")
    if not isinstance(id_, str) or not id_.strip():
        raise ValueError("a dialogue has no id")
    if isinstance(entry.get("log"), list):
        turns = tuple(_logged(entry["log"]))
        if not isinstance(entry.get("goal"), Mapping):
            raise ValueError(f"dialogue {id_} has no `goal`")
        return _dialogue(id_, entry["goal"], turns)
    if isinstance(entry.get("turns"), list):
        turns = tuple(_framed(entry["turns"]))
        if isinstance(entry.get("goal"), Mapping):
            return _dialogue(id_, entry["goal"], turns)
        return Dialogue(id_, _asked_for(entry["turns"]), (), turns)
    raise ValueError(f"dialogue {id_} has neither `log` (2.1) nor `turns` (2.2)")


def _dialogue(id_: str, goal: Mapping[str, Any], turns: tuple[Said, ...]) -> Dialogue:
    found = {domain: _need(goal[domain]) for domain in goal if domain in words.DOMAINS and goal[domain] != {}}
    if not found:
        raise ValueError(f"the goal of dialogue {id_} has no domain")
    message = goal.get("message")
    told = message if isinstance(message, list) else [message] if isinstance(message, str) else []
    lines = (storable(" ".join(_TAG.sub("", line).split())) for line in told if isinstance(line, str))
    return Dialogue(id_, found, tuple(filter(None, lines)), turns)


def _need(entry: Any) -> Need:
    if not isinstance(entry, Mapping):
        raise ValueError(f"a domain of the goal is {type(entry).__name__}, not an object")
    reqt = entry.get("reqt", [])
    if not isinstance(reqt, list | Mapping) or not all(isinstance(slot, str) for slot in reqt):
        raise ValueError("`reqt` of the goal is no list of slots")
    parts = {name: words.written(entry.get(name, {}), f"`{name}` of the goal") for name in CONSTRAINTS}
    return Need(reqt=tuple(dict.fromkeys(map(words.slot, reqt))), **parts)


# -------------------------------------------------------------------------------------------------------- layout 2.1


def _logged(log: Sequence[Any]) -> Iterator[Said]:
    for number, entry in enumerate(log):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("text"), str):
            raise ValueError(f"turn {number} of `log` is no object with a `text`")
        system = number % 2 == 1
        metadata = entry.get("metadata")
        told: Mapping[str, Any] = metadata if system and isinstance(metadata, Mapping) else {}
        state = {domain: _semi(told, domain, number) for domain in words.DOMAINS if domain in told}
        references = {domain: _references(_part(told, domain, "book")) for domain in state}
        yield Said(
            system,
            storable(entry["text"]),
            {domain: known for domain, known in state.items() if known},
            {domain: known for domain, known in references.items() if known},
        )


def _semi(metadata: Mapping[str, Any], domain: str, number: int) -> dict[str, str]:
    found = _part(metadata, domain, "semi")
    return {} if found is None else words.written(found, f"`semi` of {domain} in turn {number}")


def _part(metadata: Mapping[str, Any], domain: str, name: str) -> Any:
    entry = metadata[domain]
    return entry.get(name) if isinstance(entry, Mapping) else None


def _references(book: Any) -> frozenset[str]:
    booked = book.get("booked") if isinstance(book, Mapping) else None
    entries = booked if isinstance(booked, list) else []
    found = (entry.get("reference") for entry in entries if isinstance(entry, Mapping))
    return frozenset(words.joined(said) for said in found if isinstance(said, str) and said)


# -------------------------------------------------------------------------------------------------------- layout 2.2


def _framed(turns: Sequence[Any]) -> Iterator[Said]:
    state: State = {}
    for number, turn in enumerate(turns):
        if not isinstance(turn, Mapping) or not isinstance(turn.get("utterance"), str):
            raise ValueError(f"turn {number} of `turns` is no object with an `utterance`")
        system = str(turn.get("speaker", "")).upper() == "SYSTEM"
        if not system:
            state = {**state, **{domain: _state(frame) for domain, frame in _frames(turn)}}
        references = {domain: _given(frame, domain) for domain, frame in _frames(turn)} if system else {}
        yield Said(
            system,
            storable(turn["utterance"]),
            {domain: known for domain, known in state.items() if known} if system else {},
            {domain: known for domain, known in references.items() if known},
        )


def _frames(turn: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    frames = turn.get("frames", [])
    if not isinstance(frames, list) or not all(isinstance(frame, Mapping) for frame in frames):
        raise ValueError("`frames` of a turn is no list of objects")
    for frame in frames:
        domain = frame.get("service")
        if not isinstance(domain, str):
            raise ValueError("a frame has no `service`")
        if domain in words.DOMAINS:
            yield domain, frame


def _slots(frame: Mapping[str, Any]) -> dict[str, str]:
    """All slots of a frame's state, bookings included, without the domain before their names."""
    said = _told(frame).get("slot_values", {})
    if not isinstance(said, Mapping):
        raise ValueError(f"`slot_values` is {type(said).__name__}, not an object of slots and values")
    bare = {str(k).partition("-")[2] or str(k): v for k, v in said.items()}
    named = {("book" + k[4:].strip()) if k.startswith("book") else k: v for k, v in bare.items()}
    return words.written(named, "`slot_values`")


def _told(frame: Mapping[str, Any]) -> Mapping[str, Any]:
    """The state in a frame; a system's has none."""
    state = frame.get("state", {})
    if not isinstance(state, Mapping):
        raise ValueError(f"`state` of a frame is {type(state).__name__}, not an object")
    return state


def _state(frame: Mapping[str, Any]) -> dict[str, str]:
    booked = words.texts()["book"].get(frame["service"], [])
    return {slot: said for slot, said in _slots(frame).items() if slot not in booked or frame["service"] == "taxi"}


def _given(frame: Mapping[str, Any], domain: str) -> frozenset[str]:
    slots = frame.get("slots", [])
    if not isinstance(slots, list) or not all(isinstance(slot, Mapping) for slot in slots):
        raise ValueError("`slots` of a frame is no list of objects")
    found = (slot.get("value") for slot in slots if _is_reference(slot, domain))
    return frozenset(words.joined(said) for said in found if isinstance(said, str))


def _is_reference(slot: Mapping[str, Any], domain: str) -> bool:
    return slot.get("slot") in (f"{domain}-ref", f"{domain}-reference")


def _asked_for(turns: Sequence[Any]) -> dict[str, Need]:
    """What a user of the schema layout wanted, by the end."""
    last: dict[str, Mapping[str, Any]] = {}
    requested: dict[str, dict[str, None]] = {}
    for turn in turns:
        for domain, frame in _frames(turn):
            asked = _told(frame).get("requested_slots", [])
            if not isinstance(asked, list) or not all(isinstance(said, str) for said in asked):
                raise ValueError("`requested_slots` is no list of slots")
            for said in asked:
                requested.setdefault(domain, {})[words.slot(said.partition("-")[2])] = None
            if _slots(frame):
                last[domain] = frame
    domains = [domain for domain in words.DOMAINS if domain in last or domain in requested]
    if not domains:
        raise ValueError("no user's turn of it has a state: there is nothing that anybody wanted")
    found = {}
    for domain in domains:
        frame = last.get(domain, {"service": domain})
        info = _state(frame)
        book = {slot: said for slot, said in _slots(frame).items() if slot not in info}
        found[domain] = Need(info, book, tuple(requested.get(domain, ())))
    return found
