"""Where a report is written to, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from adidem.core.errors import ConfigError

HTML = "report.html"


def default_path(runs: Sequence[Path]) -> Path:
    """`report.html` in the run's folder; of several runs in the folder that holds them all."""
    folder = Path(os.path.commonpath([run.resolve() for run in runs]))
    shown = runs[0] if len(runs) == 1 else folder
    return shown / HTML


def write(path: Path, text: str) -> None:
    """Write a text in one step: a reader sees the old file or the new one.

    Raises:
        ConfigError: it cannot be written there.
    """
    if not path.name:
        raise ConfigError(f"{path} is a folder; give a file with --out")
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ConfigError(
            f"{path} cannot be written ({error.strerror or error}); give another file with --out"
        ) from error
