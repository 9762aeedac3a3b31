"""Settings: the hand-written stories of a family, read from the YAML file beside it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from adidem.core.domain import SEATS, Public, Role, Seat, Split
from adidem.core.errors import ConfigError

REQUIRED = ("id", "split", "names", "about", "story", "brief", "tell", "ask")


@frozen(unsafe_hash=False)
class Setting:
    """One everyday story that scenarios are drawn from.

    `story` and `brief` may hold `{placeholders}` of the drawn public facts and of `{first}` and `{second}`, the names.
    `tell[kind][seat]` is the sentence in which the person in that seat says that private condition, with placeholders
    that the family fills; `ask[seat]` is how that person asks the other for theirs. `params` is what the family draws
    from: units, ranges, lists.
    """

    id: str
    split: Split
    names: tuple[str, str]
    about: Mapping[Seat, str]
    story: str
    brief: str
    tell: Mapping[str, Mapping[Seat, str]]
    ask: Mapping[Seat, str]
    approver: str | None = None
    tags: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(factory=dict)

    def public(self, facts: Mapping[str, Any], shown: Mapping[str, Any]) -> Public:
        """The public context for drawn facts; `shown` are those facts as the text shows them ("$240")."""
        words = {**shown, "first": self.names[0], "second": self.names[1], "approver": self.approver}
        return Public(
            story=" ".join(self.story.format(**words).split()),
            brief=" ".join(self.brief.format(**words).split()),
            roles=(
                Role("first", self.names[0], self.about["first"]),
                Role("second", self.names[1], self.about["second"]),
            ),
            facts={**facts, "ask": dict(self.ask)},
            approver=self.approver,
        )

    def sentence(self, kind: str, seat: Seat, words: Mapping[str, Any]) -> str:
        """The owner's sentence for a condition."""
        names = {"first": self.names[0], "second": self.names[1], "approver": self.approver}
        return " ".join(self.tell[kind][seat].format(**words, **names).split())


@lru_cache(maxsize=64)
def load_settings(path: Path) -> tuple[Setting, ...]:
    """Every setting of a YAML file (a list of mappings), in its order; keys beyond the common ones go to `params`.

    Raises:
        ConfigError: the file cannot be read, or a setting lacks a key; the message names file and setting.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C where it is there
    try:
        entries = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506  a safe loader
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot read settings: {' '.join(str(error).split())}") from error
    if not isinstance(entries, list):
        raise ConfigError(f"{path}: a list of settings is expected")
    return tuple(_setting(entry, number, path) for number, entry in enumerate(entries, 1))


def _setting(entry: Any, number: int, path: Path) -> Setting:
    if not isinstance(entry, dict):
        raise ConfigError(f"{path}: setting {number} is not a mapping")
    where = f"{path}: setting {entry.get('id', number)!r}"
    missing = [key for key in REQUIRED if key not in entry]
    if missing:
        raise ConfigError(f"{where} lacks {', '.join(missing)}")
    if entry["split"] not in ("train", "dev", "test"):
        raise ConfigError(f"{where}: split is {entry['split']!r}, not train, dev or test")
    for key in ("about", "ask", *(f"tell.{kind}" for kind in entry["tell"])):
        value = entry["tell"][key[5:]] if key.startswith("tell.") else entry[key]
        if not isinstance(value, dict) or set(value) != set(SEATS):
            raise ConfigError(f"{where}: {key} needs a text for first and for second")
    known = {*REQUIRED, "approver", "tags"}
    return Setting(
        **{key: entry[key] for key in REQUIRED if key != "names"},
        names=tuple(entry["names"]),
        approver=entry.get("approver"),
        tags=tuple(entry.get("tags", ())),
        params={key: value for key, value in entry.items() if key not in known},
    )
