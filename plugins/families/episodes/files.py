"""Files of episodes as a stream: a JSONL file, or a folder of them, line by line and never as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adidem.core.errors import BankError

SUFFIXES = (".jsonl", ".ndjson")


def entries(path: Path) -> Iterator[tuple[str, Any]]:
    """Each line's JSON with where it stands (`file:line`); of a folder every JSONL file in it and below, by name.

    Raises:
        BankError: there is nothing to read, a file cannot be read, or a line is no JSON; file and line are named.
    """
    for file in _files(path):
        yield from _lines(file)


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise BankError(f"{path} is not there")
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    if not found:
        raise BankError(f"{path} holds no file of episodes ({', '.join(SUFFIXES)})")
    return found


def _lines(file: Path) -> Iterator[tuple[str, Any]]:
    import orjson

    try:
        with file.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")
                if not line.strip():
                    continue
                try:
                    yield f"{file}:{number}", orjson.loads(line)
                except orjson.JSONDecodeError as error:
                    raise BankError(f"{file}:{number}: no JSON: {error}") from error
    except OSError as error:
        raise BankError(f"{file}: cannot be read: {error.strerror}") from error
