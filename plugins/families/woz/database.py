"""The venue databases: read from the published files, asked by constraints as the field asks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from attrs import frozen

from adidem.core.errors import BankError
from adidem.plugins.families.corpora import stream
from adidem.plugins.families.woz import words

OWN = Path(__file__).with_name("db")
"""The databases that ship with the project: invented venues of an invented town."""

FUZZY = frozenset({"name", "food", "departure", "destination"})
"""Slots whose values match where one is nearly a part of the other."""

RATIO = 90
"""How nearly, of 100 (`rapidfuzz.fuzz.partial_ratio`)."""

Venue = Mapping[str, str]


@frozen(eq=False)
class Databases:
    """Venues by domain, in the order of their files; `taxis` holds colours and types of cars."""

    venues: Mapping[str, tuple[Venue, ...]]
    taxis: Mapping[str, tuple[str, ...]]

    def find(self, domain: str, constraints: Mapping[str, str]) -> tuple[Venue, ...]:
        """The venues that meet the constraints: equal values, times not later (`arriveBy`) or not earlier (`leaveAt`)
        than said, nearly a part for names, food and places; what a venue leaves open ("?") is met, and a slot that no
        venue of the domain has is no constraint."""
        asked = {slot: said for slot, said in constraints.items() if slot in self.slots.get(domain, ())}
        return tuple(v for v in self.venues.get(domain, ()) if all(_meets(v, s, said) for s, said in asked.items()))

    def ids(self, domain: str, constraints: Mapping[str, str]) -> frozenset[str]:
        """Which venues meet the constraints, by their keys."""
        return frozenset(venue["key"] for venue in self.find(domain, constraints))

    @cached_property
    def slots(self) -> Mapping[str, frozenset[str]]:
        """The slots that the venues of each domain have."""
        return {
            domain: frozenset(slot for venue in venues for slot in venue) - {"key"}
            for domain, venues in self.venues.items()
        }

    @cached_property
    def said(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """All values of a slot in a domain, as `words.joined`; an address also without what follows its first comma."""
        found: dict[tuple[str, str], set[str]] = {}
        for domain, venues in self.venues.items():
            for venue in venues:
                for slot, value in venue.items():
                    forms = {value, value.partition(",")[0]} if slot == "address" else {value}
                    found.setdefault((domain, slot), set()).update(words.joined(form) for form in forms)
        return {key: frozenset(filter(None, values)) for key, values in found.items()}

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """The names of a domain's venues as `words.title`, and without a leading article."""
        found: dict[str, tuple[str, ...]] = {}
        for domain, venues in self.venues.items():
            names = {words.title(venue["name"]) for venue in venues if venue.get("name", "?") != "?"}
            found[domain] = tuple(sorted(names | {n.replace(" the ", " ", 1) for n in names if n.startswith(" the ")}))
        return found


def _meets(venue: Venue, slot: str, said: str) -> bool:
    own = venue.get(slot, "?")
    if own == "?":
        return True
    if slot == "arriveBy":
        return own <= said
    if slot == "leaveAt":
        return own >= said
    if own == said or slot not in FUZZY:
        return own == said
    from rapidfuzz import fuzz

    return fuzz.partial_ratio(own, said) >= RATIO


@lru_cache(maxsize=8)
def load(folder: Path) -> Databases:
    """The databases of a folder: `restaurant_db.json` and its like, as lists or JSON lines.

    Raises:
        BankError: the folder holds none, or a file is no database; the file is named.
    """
    venues, taxis = {}, {}
    for domain in words.DOMAINS:
        found = [folder / f"{domain}_db{suffix}" for suffix in stream.SUFFIXES]
        file = next((each for each in found if each.is_file()), None)
        if file is None:
            continue
        if domain == "taxi":
            taxis = _taxis(file)
        else:
            venues[domain] = tuple(_venue(entry, number) for number, entry in enumerate(_objects(file)))
    if not venues:
        raise BankError(f"{folder} holds no database (restaurant_db.json and its like)")
    return Databases(venues, taxis)


def _objects(file: Path) -> Iterator[Mapping[str, Any]]:
    for entry in stream.entries(file):
        if not isinstance(entry.value, Mapping):
            raise BankError(f"{entry.where}: a venue is a JSON object, not {type(entry.value).__name__}")
        yield entry.value


def _venue(entry: Mapping[str, Any], number: int) -> Venue:
    """A venue's texts, its slots by our names; what is no text (a place on the map) is left out. An own `id` is no
    train's."""
    found = {"key": str(number)}
    for name, said in entry.items():
        if isinstance(said, str | int) and not isinstance(said, bool) and name != "id":
            slot = words.slot(name)
            found[slot] = words.value(slot, str(said)) or "?"
    return found


def _taxis(file: Path) -> dict[str, tuple[str, ...]]:
    for entry in stream.entries(file):
        if isinstance(entry.value, Mapping):
            listed = {key: value for key, value in entry.value.items() if isinstance(value, list)}
            return {key: tuple(map(str, value)) for key, value in listed.items()}
    return {}
