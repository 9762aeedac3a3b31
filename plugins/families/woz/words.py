"""The words of MultiWOZ: names of slots and values in one form, whichever layout or database they come from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from adidem.core.language.clauses import fold
from adidem.core.language.patterns import Pattern

DOMAINS = ("restaurant", "hotel", "attraction", "train", "taxi", "hospital", "police")
VENUES = ("restaurant", "hotel", "attraction", "train")
"""Domains whose venues are looked up and offered."""

TIMES = frozenset({"leaveAt", "arriveBy", "time"})
HAS = frozenset({"internet", "parking"})
NO_SLOTS = frozenset({"invalid", "pre_invalid"})
"""Marks among the slots of a published booking, true or false: how its goal was made, nothing that is wanted."""

_CLOCK = Pattern(r"([0-9]{1,2})[:.]([0-9]{2})")
_MARKS = Pattern(r"[^a-z0-9£' ]+")
_POSSESSIVE = Pattern(r"\s'\s?s\b")
_BLANKS = Pattern(r"\s+")


@cache
def texts() -> Mapping[str, Any]:
    """The words beside this file."""
    import yaml

    file = Path(__file__).with_suffix(".yaml")
    return cast("Mapping[str, Any]", yaml.safe_load(file.read_text(encoding="utf-8")))


def slot(name: str) -> str:
    """A slot's name in the 2.1 layout, from any layout or database."""
    low = name.strip().casefold()
    return cast("str", texts()["slots"].get(low, name if name in TIMES or name == "trainID" else low))


@lru_cache(maxsize=8192)
def value(name: str, said: str) -> str | None:
    """A slot's value as databases write it: folded, times as HH:MM; None for one that is none or any will do."""
    text = fold(said)
    if text in texts()["empty"]:
        return None
    if name in TIMES:
        clock = _CLOCK.fullmatch(text)
        return f"{int(clock[1]):02d}:{clock[2]}" if clock else text
    return str(texts()["has" if name in HAS else "same"].get(text, text))


def values(said: Any) -> dict[str, str]:
    """Slots with their values, those left out that have none; of a list of spellings the first counts."""
    found: dict[str, str] = {}
    for key, entry in said.items() if isinstance(said, Mapping) else ():
        if isinstance(entry, list):
            entry = entry[0] if entry else ""
        if not _is_value(entry):
            continue
        name = slot(str(key))
        known = value(name, str(entry))
        if known is not None:
            found[name] = known
    return found


def written(said: Any, what: str) -> dict[str, str]:
    """The `values` of what a file holds under the name `what`: there nothing is passed over that is no value.

    Raises:
        ValueError: it is no object, or a value is neither text, a whole number nor a list of these.
    """
    if not isinstance(said, Mapping):
        raise ValueError(f"{what} is {type(said).__name__}, not an object of slots and values")
    for key, entry in said.items():
        if key in NO_SLOTS and isinstance(entry, bool):
            continue
        if not all(map(_is_value, entry if isinstance(entry, list) else [entry])):
            raise ValueError(f"{what}: {str(key)[:60]!r} has no text, whole number or list of these as its value")
    return values(said)


def _is_value(entry: Any) -> bool:
    return isinstance(entry, str | int) and not isinstance(entry, bool)


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """A text as words with one blank between and around them, marks and the blanks inside codes aside."""
    return f" {_BLANKS.sub(' ', _MARKS.sub(' ', fold(text))).strip()} "


@lru_cache(maxsize=8192)
def title(text: str) -> str:
    """A text as words for finding names in it: no apostrophes, "and" for "&", "guesthouse" as one word."""
    low = _POSSESSIVE.sub("s", fold(text)).replace("'", "").replace("&", " and ")
    return f" {_BLANKS.sub(' ', _MARKS.sub(' ', low)).strip()} ".replace(" guest house ", " guesthouse ")


@lru_cache(maxsize=8192)
def joined(text: str) -> str:
    """Letters and digits of a text alone: telephone numbers and postcodes are written with blanks and without."""
    return "".join(c for c in fold(text) if c.isalnum())
