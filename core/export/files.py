"""Where an export is written to: whole or not at all, and never over something that is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from adidem.core.errors import ConfigError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to; afterwards it is `path`, and after an error it is gone.

    Raises:
        ConfigError: `path` is there already, or cannot be written.
    """
    if path.exists():
        raise ConfigError(f"{path} exists; name a new one with --out")
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror or error}); name another with --out") from error
    finally:
        part.unlink(missing_ok=True)


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines as they come and give back how many there were. Raises ConfigError as `whole` does."""
    count = 0
    with whole(path) as part, part.open("wb") as out:
        for line in lines:
            out.write(line + b"\n")
            count += 1
    return count
