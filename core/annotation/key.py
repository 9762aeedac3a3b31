"""The key of a study, which stays with the researcher: what each opaque item is, and which sheet went to whom."""

from __future__ import annotations

from pathlib import Path

import cattrs
import orjson
from attrs import asdict, field, frozen

from adidem.core.annotation.questions import Kind
from adidem.core.errors import ConfigError
from adidem.core.writing import write_whole

FORMAT = "adidem annotation key 1"


@frozen
class Mark:
    """What an item is: a conversation of the run, or a pair of it and the second run's; `turns` counts its turns and
    `digest` is a hash of what was said in the run's."""

    kind: Kind
    task: str
    barrier: str
    repeat: int
    turns: int
    digest: str


@frozen(unsafe_hash=False)
class Handed:
    """One sheet: who it is for, and which run's conversation (`a` or `b`) stands on the left of each pair."""

    annotator: str
    left: dict[str, str] = field(factory=dict)


@frozen(unsafe_hash=False)
class StudyKey:
    """Everything that maps answers back to episodes."""

    run: str
    run_b: str | None
    seed: int
    items: dict[str, Mark]
    sheets: dict[str, Handed]
    format: str = FORMAT


def write_key(key: StudyKey, path: Path) -> None:
    """Write it as JSON."""
    write_whole(path, orjson.dumps(asdict(key), option=orjson.OPT_INDENT_2) + b"\n")


def read_key(path: Path) -> StudyKey:
    """Read it back. Raises ConfigError where the file is none."""
    try:
        data = orjson.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{path}: is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ConfigError(f"{path}: is not a key written by adidem annotate")
    try:
        return cattrs.structure(data, StudyKey)
    except Exception as error:  # cattrs raises groups of many kinds; each means that the file was changed by hand
        raise ConfigError(f"{path}: is a broken key: {cattrs.transform_error(error)[0]}") from error
