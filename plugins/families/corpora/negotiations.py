"""CaSiNo's published layout: two campers, what each item is worth to each, and the deal that they made, if any.

Source: Chawla et al. (2021), CaSiNo (CC BY 4.0). A dialogue has `chat_logs` (text, or one of `Submit-Deal`,
`Accept-Deal`, `Reject-Deal`, `Walk-Away`) and `participant_info` with `value2issue`, `value2reason` and `outcomes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.records import storable

ITEMS = ("Firewood", "Food", "Water")
UNITS = 3
"""Packages of each item, to be shared out."""

WORTH = {"High": 5, "Medium": 4, "Low": 3}
"""Points of one package, by how much its item matters to that person."""

WALK_AWAY = 5
"""Points of each where there is no deal."""

MOST_POINTS = 1e6
"""No share of the packages is worth so much: what is larger, infinite or no number at all is a fault of the file."""

SUBMIT, ACCEPT, REJECT, LEAVE = "Submit-Deal", "Accept-Deal", "Reject-Deal", "Walk-Away"


@frozen(unsafe_hash=False)
class Camper:
    """One of the two: the id in the data, the points of a package of each item, the reasons by item, and the points
    that the data say were scored (None: it does not say)."""

    id: str
    values: Mapping[str, int]
    reasons: Mapping[str, str]
    scored: float | None = None


@frozen(unsafe_hash=False)
class Dialogue:
    """One negotiation. `deal` says for each item how many packages the first and the second took; None is no deal.
    `logs` counts all entries of the chat, deals included; `chat` is who said what (0 or 1)."""

    id: str
    campers: tuple[Camper, Camper]
    deal: Mapping[str, tuple[int, int]] | None
    logs: int
    chat: tuple[tuple[int, str], ...] = ()


def dialogue_of(entry: Any) -> Dialogue:
    """The negotiation that a dialogue of the data is. Fields that are not known here are no mistake.

    Raises:
        ValueError: it is none; the message names what is missing or wrong.
    """
    if not isinstance(entry, Mapping):
        raise ValueError(f"a dialogue is a JSON object, not {type(entry).__name__}")
    info, logs = entry.get("participant_info"), entry.get("chat_logs")
    if not isinstance(info, Mapping) or len(info) != 2:
        raise ValueError("`participant_info` is no object with two people")
    if not isinstance(logs, list) or not all(isinstance(log, Mapping) for log in logs):
        raise ValueError("`chat_logs` is no list of objects")
    names = sorted(info)
    first, second = (_camper(name, info[name]) for name in names)
    turns = [(_speaker(log, names), storable(str(log.get("text", ""))), log.get("task_data")) for log in logs]
    said = tuple((who, text) for who, text, _ in turns if text not in (SUBMIT, ACCEPT, REJECT, LEAVE))
    return Dialogue(str(entry.get("dialogue_id", "")), (first, second), _deal(turns), len(logs), said)


def _camper(name: str, info: Any) -> Camper:
    ranks = info.get("value2issue") if isinstance(info, Mapping) else None
    if not isinstance(ranks, Mapping) or set(ranks) != set(WORTH) or sorted(map(str, ranks.values())) != sorted(ITEMS):
        raise ValueError(f"`value2issue` of {name} does not put {', '.join(ITEMS)} in the order High, Medium, Low")
    reasons = info.get("value2reason")
    told = reasons if isinstance(reasons, Mapping) else {}
    outcomes = info.get("outcomes")
    points = outcomes.get("points_scored") if isinstance(outcomes, Mapping) else None
    return Camper(
        id=name,
        values={item: WORTH[rank] for item in ITEMS for rank in ranks if ranks[rank] == item},
        reasons={ranks[rank]: storable(" ".join(str(told[rank]).split())) for rank in WORTH if told.get(rank)},
        scored=_scored(name, points),
    )


def _scored(name: str, points: Any) -> float | None:
    """The points that the data say; None where they say none."""
    if isinstance(points, bool) or not isinstance(points, int | float):
        return None
    if not abs(points) < MOST_POINTS:
        raise ValueError(f"`points_scored` of {name} is no number of points")
    return float(points)


def _speaker(log: Mapping[str, Any], names: Sequence[str]) -> int:
    who = log.get("id")
    if who not in names:
        raise ValueError(f"a chat log is of {who!r}, who is none of the two")
    return names.index(str(who))


def _deal(turns: Sequence[tuple[int, str, Any]]) -> dict[str, tuple[int, int]] | None:
    """The deal that was submitted last and accepted by the other; None where there is none."""
    offer: tuple[int, dict[str, tuple[int, int]]] | None = None
    agreed = None
    for who, text, data in turns:
        if text == SUBMIT:
            offer, agreed = (who, _offer(who, data)), None
        elif text == REJECT:
            offer = None
        elif text == ACCEPT and offer is not None and offer[0] != who:
            agreed = offer[1]
        elif text == LEAVE:
            agreed = offer = None
    return agreed


def _offer(who: int, data: Any) -> dict[str, tuple[int, int]]:
    """What a submitted deal gives to the first and to the second."""
    mine, theirs = (data.get(key) if isinstance(data, Mapping) else None for key in ("issue2youget", "issue2theyget"))
    found = {}
    for item in ITEMS:
        own, other = _count(mine, item), _count(theirs, item)
        if own + other != UNITS:
            raise ValueError(f"a submitted deal shares out {own + other} of {UNITS} packages of {item}")
        found[item] = (own, other) if who == 0 else (other, own)
    return found


def _count(shares: Any, item: str) -> int:
    """The packages of an item in a deal: published as text."""
    value = shares.get(item) if isinstance(shares, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip().isdecimal():
        raise ValueError(f"a submitted deal has no count of {item}")
    return int(value)


def points(values: Mapping[str, int], shares: Mapping[str, int]) -> int:
    """What packages of each item are worth to somebody."""
    return sum(values[item] * shares[item] for item in ITEMS)
