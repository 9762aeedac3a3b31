"""What the two scheduling families share: windows of the day as numbers, and how a person says them.

Times are minutes after midnight inside this module, "HH:MM" outside it; ends are exclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from adidem.core.language.patterns import Pattern

if TYPE_CHECKING:
    from random import Random

MIDNIGHT = 24 * 60
Minutes = tuple[int, int]

_CLOCK = Pattern(r"([01][0-9]|2[0-4]):([0-5][0-9])")


# ------------------------------------------------------------------------------------------------------------ numbers


def minutes(time: object) -> int | None:
    """Minutes after midnight of "HH:MM", or None for anything else; never raises."""
    return _parsed(time) if isinstance(time, str) else None


@lru_cache(maxsize=2048)
def _parsed(time: str) -> int | None:
    match = _CLOCK.fullmatch(time)
    found = 60 * int(match[1]) + int(match[2]) if match else MIDNIGHT + 1
    return found if found <= MIDNIGHT else None


def clock(minute: int) -> str:
    """ "HH:MM" of minutes after midnight, 0 to 1440."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def day_of(facts: Mapping[str, Any]) -> Minutes:
    """The public bounds of the day, in minutes."""
    start, end = facts["day"]
    low, high = minutes(start), minutes(end)
    return low or 0, MIDNIGHT if high is None else high


def spans_of(value: Any) -> list[Minutes] | None:
    """The windows of a condition in minutes; an end that is not known (None) is the end of any day; None where the
    whole condition is unknown."""
    if value is None:
        return None
    found = []
    for start, end in value:
        low, high = minutes(start), minutes(end)
        found.append((0 if low is None else low, MIDNIGHT if high is None else high))
    return found


def inside(windows: Iterable[Minutes] | None, start: int, end: int) -> bool:
    """Whether start to end lies inside one of the windows; an unknown condition constrains nothing."""
    return windows is None or any(low <= start and end <= high for low, high in windows)


def starts(windows: Iterable[Minutes], length: int, grid: int, day: Minutes) -> list[int]:
    """Every start on the grid of a stretch of that length inside the day and one of the windows, sorted."""
    found: set[int] = set()
    for low, high in windows:
        first = -(-max(low, day[0]) // grid) * grid
        found.update(range(first, min(high, day[1]) - length + 1, grid))
    return sorted(found)


def draw_windows(rng: Random, count: int, lengths: Sequence[int], grid: int, day: Minutes) -> list[Minutes] | None:
    """`count` windows with ends on the grid and at least one step between them, sorted; None: they found no room."""
    found: list[Minutes] = []
    for _ in range(count):
        length = rng.choice(lengths)
        room = (day[1] - day[0] - length) // grid
        if room < 0:
            return None
        for _ in range(6):
            start = day[0] + grid * rng.randint(0, room)
            if clear(found, start, start + length, grid):
                found.append((start, start + length))
                break
        else:
            return None
    return sorted(found)


def clear(windows: Iterable[Minutes], start: int, end: int, gap: int) -> bool:
    """Whether start to end keeps at least `gap` from every window."""
    return all(end + gap <= low or high + gap <= start for low, high in windows)


def value_of(windows: Iterable[Minutes]) -> list[list[str]]:
    """Windows as a condition's JSON value."""
    return [[clock(low), clock(high)] for low, high in windows]


def merged(windows: Iterable[Minutes]) -> list[Minutes]:
    """Sorted windows, those that touch or overlap made one."""
    found: list[Minutes] = []
    for start, end in sorted(windows):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


# -------------------------------------------------------------------------------------------------------------- saying


def say_time(time: str, facts: Mapping[str, Any]) -> str:
    """A time as the people of the setting say it: "14:30" where they use the 24-hour clock, else "2:30", with am or
    pm only where the day would leave a doubt."""
    minute = minutes(time)
    if minute is None:
        return str(time)
    if facts.get("clock") == "24h":
        return time
    hour, rest = divmod(minute, 60)
    short = f"{(hour - 1) % 12 + 1}:{rest:02d}"
    low, high = day_of(facts)
    twin = (minute + MIDNIGHT // 2) % MIDNIGHT
    if low <= minute <= high and not low <= twin <= high:
        return short
    if hour in (0, 24):
        return time
    return f"{short} {'am' if hour < 12 else 'pm'}"


def say_span(start: str, end: str, facts: Mapping[str, Any]) -> str:
    """ "10:30 to 11:10"."""
    return f"{say_time(start, facts)} to {say_time(end, facts)}"


def window_words(value: Iterable[Sequence[str]], facts: Mapping[str, Any]) -> dict[str, str]:
    """The ways of listing windows that a setting's sentence may use: `{windows}` ("9:00 to 10:30 and 1:00 to 2:15"),
    `{windows_or}`, `{from_windows}` ("from 9:00 to 10:30 and from …"), `{from_windows_or}`, `{between_windows}`
    ("between 9:00 and 10:30 and between …"), `{between_windows_or}`."""
    ends = [(say_time(start, facts), say_time(end, facts)) for start, end in value]
    plain = [f"{start} to {end}" for start, end in ends]
    led = [f"from {text}" for text in plain]
    between = [f"between {start} and {end}" for start, end in ends]
    return {
        "windows": _listed(plain, "and"),
        "windows_or": _listed(plain, "or"),
        "from_windows": _listed(led, "and"),
        "from_windows_or": _listed(led, "or"),
        "between_windows": _listed(between, "and"),
        "between_windows_or": _listed(between, "or"),
    }


def _listed(parts: Sequence[str], word: str) -> str:
    if len(parts) < 3:
        return f" {word} ".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


# --------------------------------------------------------------------------------------------------- stated and true


def untrue_windows(stated: Any, card: Any) -> str | None:
    """Why stated windows are untrue by the card's: a stretch said to be free lies outside every one of them, or an
    open end ("after 3") touches none. Saying less than the card holds is not untrue."""
    own = merged(spans_of(card) or [])
    for start, end in stated or ():
        low, high = minutes(start), minutes(end)
        if low is not None and high is not None and not inside(own, low, high):
            return f"said free {clock(low)} to {clock(high)}, but the card says {_written(own)}"
    opened = [(s, e) for s, e in stated or () if s is None or e is None]
    if opened and not any(_touches(own, minutes(s) or 0, minutes(e) or MIDNIGHT) for s, e in stated):
        return f"said {_open_words(opened)}, but the card says {_written(own)}"
    return None


def _touches(windows: Iterable[Minutes], start: int, end: int) -> bool:
    return any(low < end and start < high for low, high in windows)


def _written(windows: Iterable[Minutes]) -> str:
    return ", ".join(f"{clock(low)} to {clock(high)}" for low, high in windows)


def _open_words(windows: Iterable[Sequence[str | None]]) -> str:
    return " or ".join(f"free until {end}" if start is None else f"free from {start}" for start, end in windows)
