"""`adidem.json`, which lies beside a policy's weights: what they are, which codec speaks them, what they rest on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from attrs import asdict, frozen

from adidem.core.errors import ConfigError

FILE = "adidem.json"
FORMAT = 1


@frozen(unsafe_hash=False)
class Card:
    """What a folder of weights says of itself: whole `weights` or an `adapter`, the name of its codec, and for an
    adapter its base as `hf:` takes it. `value` says whether a value head lies beside them."""

    kind: Literal["weights", "adapter"]
    codec: str
    base: str | None = None
    value: bool = False


def write_card(folder: Path, card: Card) -> None:
    """Write the folder's `adidem.json`."""
    text = json.dumps({"format": FORMAT, **asdict(card)}, indent=2)
    (folder / FILE).write_text(text + "\n", encoding="utf-8")


def read_card(folder: Path) -> Card | None:
    """What the folder says of itself; None where it has no `adidem.json`, as a model from elsewhere.

    Raises:
        ConfigError: the file cannot be read, or says something that is not understood.
    """
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file}: not readable as JSON: {error}") from error
    return _understood(said, file)


def _understood(said: Any, file: Path) -> Card:
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise ConfigError(f"{file}: its format is not {FORMAT}: it was written by another version of adidem")
    kind, codec, base = said.get("kind"), said.get("codec"), said.get("base")
    if kind not in ("weights", "adapter"):
        raise ConfigError(f"{file}: kind is {kind!r}, not 'weights' or 'adapter'")
    if not isinstance(codec, str):
        raise ConfigError(f"{file}: codec is {codec!r}, not a name")
    if kind == "adapter" and not isinstance(base, str):
        raise ConfigError(f"{file}: an adapter must name its base; base is {base!r}")
    return Card(kind, codec, base if isinstance(base, str) else None, bool(said.get("value")))
