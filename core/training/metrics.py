"""The figures of updates: one JSON line each in metrics.jsonl, and the same for TensorBoard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from adidem.core.errors import TrainingError, to_install
from adidem.core.writing import write_whole

FILE, BOARD = "metrics.jsonl", "tensorboard"


class Metrics:
    """Writes the figures of one run. `done` is how many updates they hold already: what lies beyond it, written before
    a kill and after the checkpoint that is gone on from, is cut off and written again. A file that cannot be read
    stays as it is.

    Raises:
        TrainingError: the figures cannot be read or written.
    """

    def __init__(self, run: Path, done: int = 0, *, board: bool = True) -> None:
        run.mkdir(parents=True, exist_ok=True)
        kept = [line for line in read(run) if line["update"] <= done]
        try:
            write_whole(run / FILE, "".join(map(_text, kept)))
            self._file = (run / FILE).open("a", encoding="utf-8")
        except OSError as error:
            raise TrainingError(f"{run / FILE}: cannot be written: {error.strerror or error}") from error
        self._board = _board(run / BOARD, done) if board else None

    def add(self, update: int, figures: Mapping[str, Any]) -> None:
        """Write the figures after so many updates. A number that is undefined is null."""
        line = {"update": update, **figures}
        self._put(line)
        if self._board is not None:
            for name, number in figures.items():
                if isinstance(number, int | float) and isfinite(number):
                    self._board.add_scalar(name, number, update)
            self._board.flush()

    def close(self) -> None:
        """End the files."""
        self._file.close()
        if self._board is not None:
            self._board.close()

    def _put(self, line: Mapping[str, Any]) -> None:
        self._file.write(_text(line))
        self._file.flush()


def read(run: Path) -> list[dict[str, Any]]:
    """The figures of a run, in order; a last line that was torn by a kill, so that its end is missing, is no line.

    Raises:
        TrainingError: the file cannot be read, or another line holds no figures; it is named.
    """
    file = run / FILE
    if not file.is_file():
        return []
    try:
        *texts, torn = file.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise TrainingError(f"{file}: cannot be read: {error.strerror or error}") from error
    found: list[dict[str, Any]] = []
    for number, text in enumerate(texts, 1):
        line = _line(text)
        if line is None:
            raise TrainingError(f"{file}:{number}: holds no figures of an update; mend or delete that line")
        found.append(line)
    last = _line(torn)
    return found if last is None else [*found, last]


def _line(text: str) -> dict[str, Any] | None:
    """The figures that a line holds; None where it holds none."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) and isinstance(line.get("update"), int) else None


def _text(line: Mapping[str, Any]) -> str:
    return json.dumps({k: _plain(v) for k, v in line.items()}, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}") if isfinite(value) else None
    return value


def _board(folder: Path, done: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise TrainingError(f"TensorBoard is not installed ({error}): {to_install('train')}") from error
    return SummaryWriter(str(folder), purge_step=done + 1)
