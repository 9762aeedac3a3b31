"""The configuration of a run, as resolved: written beside the run and compared when it is resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from attrs import asdict, field, frozen

from adidem.core.writing import write_whole

CONFIG = "config.yaml"
"""The file of a run's folder that says what was asked for."""

FREE = frozenset({"concurrency", "version"})
"""What may change between the parts of one run without changing what is played."""

HOW = frozenset(
    "api_base attempts cache concurrency price_in price_out requests_per_minute timeout tokens_per_minute".split()
)
"""Settings of a model that decide where and how calls are made and counted, and not what is asked: they may change too,
and what they changed to is kept with the run (`noted`)."""

BARRIER = "barrier."
"""How the names of barriers begin under `components`."""

ABSENT = "not there"
"""The value of a setting that a configuration does not have."""


@frozen(unsafe_hash=False)
class Difference:
    """A setting in which two configurations differ."""

    path: tuple[str, ...]
    was: Any
    now: Any

    @property
    def key(self) -> str:
        """Its name, dotted."""
        return ".".join(self.path)

    @property
    def follows(self) -> bool:
        """Whether it follows from other settings: what is played, or a component or model that is in one alone."""
        apart = self.path[0] in ("components", "models") and len(self.path) == 2
        return self.path == ("scenarios",) or apart


@frozen(unsafe_hash=False)
class RunConfig:
    """Everything that decides what is played and how it is judged. `scenarios` is a fingerprint of what is played;
    `components` holds the options of every component in use; `models` the settings of models (never a key)."""

    suite: str
    agent: str
    partner: str
    families: tuple[str, ...]
    split: str
    seed: int
    repeats: int
    turns: int
    dialogue: bool
    seats: str
    data: str | None
    judges: tuple[str, ...]
    barriers: tuple[str, ...] = ("none",)
    barrier_on: str = "partner"
    repair: str | None = None
    detect: bool = False
    limit: int | None = None
    tags: tuple[str, ...] = ()
    bank: str | None = None
    scenarios: str = ""
    concurrency: int = 16
    components: Mapping[str, Any] = field(factory=dict)
    models: Mapping[str, Any] = field(factory=dict)
    version: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self, value_serializer=_plain)


DEFAULTS: Mapping[str, Any] = {
    "barriers": ["none"],
    "barrier_on": "partner",
    "repair": None,
    "detect": False,
    "limit": None,
    "tags": [],
    "bank": None,
}
"""What a run was that was begun before there was such a part of a configuration."""


def _plain(_owner: Any, _field: Any, value: Any) -> Any:
    if isinstance(value, tuple | frozenset | set):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def changed_keys(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The keys, dotted where nested, in which two configurations differ, those that may change left out."""
    return [difference.key for difference in differences(before, now)]


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    """Where two configurations differ, by key, those that may change left out. A part of a configuration that there was
    not yet when a run was begun is as its default says."""
    whole = {name: value for name, value in DEFAULTS.items() if name in now}
    found = _differing({**whole, **before}, now, (), FREE)
    unknown = _keeps_no_barriers(before)
    kept = [d for d in found if not (unknown and d.path[0] == "components" and d.path[-1].startswith(BARRIER))]
    return sorted(kept, key=lambda difference: difference.path)


def _keeps_no_barriers(before: Mapping[str, Any]) -> bool:
    """Whether a run with barriers was begun before their options were kept."""
    played = [condition for condition in before.get("barriers") or () if condition != "none"]
    return bool(played) and not any(name.startswith(BARRIER) for name in before.get("components") or {})


def noted(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """What may change between the parts of a run and did, by dotted key, as it is now, or None."""
    found = {key: now.get(key) for key in FREE if before.get(key) != now.get(key)}
    models_before, models_now = before.get("models") or {}, now.get("models") or {}
    for who in sorted(models_before.keys() & models_now.keys()):
        old, new = models_before[who], models_now[who]
        found |= {f"models.{who}.{key}": new.get(key) for key in HOW if old.get(key) != new.get(key)}
    return dict(sorted(found.items()))


def _differing(
    before: Mapping[str, Any], now: Mapping[str, Any], path: tuple[str, ...], free: frozenset[str]
) -> Iterator[Difference]:
    for key in (before.keys() | now.keys()) - free:
        old, new = before.get(key, ABSENT), now.get(key, ABSENT)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differing(old, new, (*path, key), HOW if path == ("models",) else frozenset())
        elif old != new and not (old in (None, ABSENT) and new in (None, ABSENT)):
            yield Difference((*path, key), old, new)


def write_config(config: RunConfig, folder: Path) -> None:
    """Write `config.yaml` for people to read and repeat the run from."""
    text = yaml.safe_dump(config.to_json(), sort_keys=False, allow_unicode=True)
    write_whole(folder / CONFIG, text)
