"""What the person at the information desk can do: look venues up in the databases, and book. Everything a tool gives
follows from its arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from adidem.core.contracts import Tool
from adidem.core.domain import ToolCall, Turn
from adidem.plugins.families.woz import words
from adidem.plugins.families.woz.database import Databases, Venue
from adidem.plugins.families.woz.dialogues import Said

SHOWN = 5
"""Venues that a look-up shows at most."""

MOST_CHOICES = 12
"""A slot with no more values than these has them listed for models."""

FIND, BOOK = "find_", "book_"
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_WHOLE = ("people", "stay")


def tools(databases: Databases) -> tuple[Tool, ...]:
    """Every tool over these databases."""
    return (*_finders(databases), *_bookers(databases))


def turns_said(turns: Sequence[Turn]) -> Iterator[Said]:
    """A played conversation as the measures read it: the person at the desk, in the second seat, is the system; the
    state of a domain is what was last looked up in it; references are those that bookings gave."""
    state: dict[str, Mapping[str, str]] = {}
    references: dict[str, frozenset[str]] = {}
    for turn in turns:
        for call in turn.calls if turn.seat == "second" else ():
            domain = call.name.partition("_")[2]
            if call.name.startswith(FIND) and not _failed(call):
                state[domain] = words.values(call.arguments)
            elif call.name.startswith(BOOK) and isinstance(call.result, Mapping) and "reference" in call.result:
                given = words.joined(str(call.result["reference"]))
                references[domain] = references.get(domain, frozenset()) | {given}
        system = turn.seat == "second"
        yield Said(system, turn.text, dict(state) if system else {}, dict(references) if system else {})


def _failed(call: ToolCall) -> bool:
    return isinstance(call.result, Mapping) and "error" in call.result


# ----------------------------------------------------------------------------------------------------------- look-ups


def _finders(databases: Databases) -> Iterator[Tool]:
    for domain, slots in words.texts()["find"].items():
        if domain in databases.venues:
            properties = {slot: _property(databases, domain, slot) for slot in slots}
            yield Tool(
                FIND + domain,
                words.texts()["tools"][FIND + domain],
                _schema(properties, ()),
                partial(_find, databases, domain),
            )


def _find(databases: Databases, domain: str, arguments: Mapping[str, Any]) -> Any:
    found = databases.find(domain, words.values(arguments))
    return {"matches": len(found), "venues": [_shown(venue) for venue in found[:SHOWN]]}


def _shown(venue: Venue) -> dict[str, str]:
    return {slot: said for slot, said in venue.items() if slot != "key" and said != "?"}


# ----------------------------------------------------------------------------------------------------------- bookings


def _bookers(databases: Databases) -> Iterator[Tool]:
    for domain, slots in words.texts()["book"].items():
        key = {"taxi": None, "train": "trainID"}.get(domain, "name")
        call: Callable[[Mapping[str, Any]], Any]
        if key is None:
            call, names, required = partial(_taxi, databases), slots, ("departure", "destination")
        elif domain in databases.venues:
            call, names = partial(_book, databases, domain, key), (key, *slots)
            required = names
        else:
            continue
        properties = {slot: _property(databases, domain, slot, book=True) for slot in names}
        yield Tool(BOOK + domain, words.texts()["tools"][BOOK + domain], _schema(properties, required), call)


def _book(databases: Databases, domain: str, key: str, arguments: Mapping[str, Any]) -> Any:
    wanted = words.joined(str(arguments.get(key, "")))
    venue = next((v for v in databases.venues[domain] if words.joined(v.get(key, "")) == wanted), None)
    if venue is None:
        return {"error": f"no {domain} has that {key}: look it up first"}
    return {"booked": True, key: venue[key], "reference": reference(domain, arguments)}


def _taxi(databases: Databases, arguments: Mapping[str, Any]) -> Any:
    if not arguments.get("leaveAt") and not arguments.get("arriveBy"):
        return {"error": "say when: leaveAt or arriveBy"}
    number = _digest("taxi", arguments)
    colours = databases.taxis.get("taxi_colors") or ("black",)
    kinds = databases.taxis.get("taxi_types") or ("car",)
    car = f"{colours[number % len(colours)]} {kinds[number // 7 % len(kinds)]}"
    return {"booked": True, "car type": car, "phone": f"0{7_000_000_000 + number % 999_999_999}"}


def reference(domain: str, arguments: Mapping[str, Any]) -> str:
    """The reference of a booking: eight letters and digits that follow from what is booked."""
    number, found = _digest(domain, arguments), ""
    for place in range(8):
        signs = "23456789" if place % 3 == 1 else _LETTERS
        number, rest = divmod(number, len(signs))
        found += signs[rest]
    return found


def _digest(domain: str, arguments: Mapping[str, Any]) -> int:
    said = "/".join(f"{slot}={words.joined(str(value))}" for slot, value in sorted(arguments.items()))
    return int.from_bytes(sha256(f"{domain}/{said}".encode()).digest()[:12], "big")


# ------------------------------------------------------------------------------------------------------------- schemas


def _property(databases: Databases, domain: str, slot: str, *, book: bool = False) -> dict[str, Any]:
    if slot in _WHOLE:
        return {"type": "integer", "minimum": 1, "maximum": 20}
    if slot in words.TIMES:
        return {"type": "string", "description": "HH:MM"}
    if slot == "day":
        return _one_of(words.texts()["days"])
    known = sorted({venue[slot] for venue in databases.venues.get(domain, ()) if venue.get(slot, "?") != "?"})
    if not book and 0 < len(known) <= MOST_CHOICES and slot != "name":
        return _one_of(known)
    return {"type": "string"}


def _one_of(known: Sequence[str]) -> dict[str, Any]:
    """Told and not enforced: other ways of writing a value are understood."""
    return {"type": "string", "description": f"one of {', '.join(known)}"}


def _schema(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
