"""Reads finished sheets and other files of annotations, CSV or JSON lines; what is wrong is named by its line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from attrs import frozen

from adidem.core.errors import ConfigError

DELIMITERS = ",;\t"
SHOWN = 20
NEEDED = ("question", "answer")


class SheetProblems(ConfigError):
    """Finished sheets that cannot be used: `problems` has a line for each fault, with file and line."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        more = f"; and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        super().__init__("; ".join(problems[:SHOWN]) + more)


@frozen(unsafe_hash=False)
class Line:
    """One row of a file: where it stands (`file:line`) and its cells as text, "" where empty or missing."""

    where: str
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


def read_lines(path: Path) -> tuple[list[Line], list[str]]:
    """Every row of a .csv (comma, semicolon or tab) or .jsonl file, and what is wrong with the others.

    Raises:
        ConfigError: the file cannot be read, is of another kind, or is not UTF-8 text.
    """
    suffix = path.suffix.casefold()
    if suffix not in (".csv", ".tsv", ".jsonl"):
        raise ConfigError(f"{path}: a sheet is a .csv or a .jsonl file")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError(f"{path}:{line}: is not UTF-8 text; save it as UTF-8") from error
    problems: list[str] = []
    read = _json_lines if suffix == ".jsonl" else _csv_lines
    lines = [Line(f"{path}:{line}", cells) for line, cells in read(text, str(path), problems)]
    return lines, problems


def _json_lines(text: str, name: str, problems: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            problems.append(f"{name}:{number}: is not JSON: {error}")
            continue
        missing = [column for column in NEEDED if not isinstance(row, dict) or column not in row]
        if missing:
            problems.append(f"{name}:{number}: has no {' and no '.join(missing)}")
            continue
        yield number, {str(key): _text(value) for key, value in row.items()}


def _csv_lines(text: str, name: str, problems: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    head = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns: list[str] = []
    started = 1
    try:
        for cells in reader:
            line, started = started, reader.line_num + 1
            if not columns:
                columns = [cell.strip().casefold() for cell in cells]
                missing = [column for column in NEEDED if column not in columns]
                if missing:
                    problems.append(f"{name}:{line}: has no column {' and no column '.join(missing)}")
                    return
            elif len(cells) > len(columns):
                problems.append(f"{name}:{line}: has {len(cells)} cells under {len(columns)} columns")
            elif any(cell.strip() for cell in cells):
                yield line, dict(zip(columns, map(str.strip, cells), strict=False))
    except csv.Error as error:
        problems.append(f"{name}:{started}: is not CSV: {error}")


def _text(value: Any) -> str:
    """A JSON cell as the text that a CSV cell would hold."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def whole(text: str) -> int | None:
    """A whole number from 0 up as written in a cell (a spreadsheet's `3.0` too), or None."""
    digits = text.removesuffix(".0")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
