"""Which episodes of a data set are played: those of some environments, and of each so many pairs of characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import define, field

from adidem.core.errors import BankError
from adidem.plugins.families.episodes import files, layouts
from adidem.plugins.families.episodes.layouts import Parts


@define
class Selection:
    """Takes or leaves episodes in the order they come. `each` is the most pairs of characters of one environment; a
    pair that came before is then left out. `environments` are the ids of those wanted. None, for either, is no choice.

    SocialVeil's layout holds one episode for each pair, told by its id (two of them may have the same two people);
    SOTOPIA's holds one for each model that played a pair, told by its people.
    """

    each: int | None = None
    environments: frozenset[str] | None = None
    _seen: set[tuple[str, ...]] = field(factory=set)
    _taken: Counter[str] = field(factory=Counter)

    def takes(self, entry: Mapping[str, Any], parts: Parts) -> bool:
        """Whether this episode is played."""
        environment = environment_of(entry)
        if self.environments is not None and environment not in self.environments:
            return False
        if self.each is None:
            return True
        people = tuple(person.name for person in parts.people)
        pair = (environment, parts.id) if parts.id and layouts.has_profiles(entry) else (environment, *people)
        if pair in self._seen or self._taken[environment] >= self.each:
            return False
        self._seen.add(pair)
        self._taken[environment] += 1
        return True


def environment_of(entry: Mapping[str, Any]) -> str:
    """What tells an episode's environment from others: its id; without one, the scenario and the goals."""
    known = entry.get("environment_id")
    if isinstance(known, str) and known.strip():
        return known.strip()
    goals = entry.get("agent_goals") or entry.get("social_goals")
    told = list(goals.values()) if isinstance(goals, Mapping) else goals
    return f"{entry.get('scenario')} {told}"


@lru_cache(maxsize=16)
def environments(path: str) -> frozenset[str]:
    """The environments that a file names: ids, one a line, or the environments of a file of episodes.

    Raises:
        BankError: the file cannot be read, or it names none.
    """
    file = Path(path).expanduser()
    try:
        if file.is_dir() or file.suffix in files.SUFFIXES:
            found = {environment_of(entry) for _, entry in files.entries(file) if isinstance(entry, Mapping)}
        else:
            found = set(file.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise BankError(f"{file}: no list of environments: {error}") from error
    if not found:
        raise BankError(f"{file}: no list of environments: it names none")
    return frozenset(found)
