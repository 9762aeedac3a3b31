"""Files that a training run writes: there whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write a file that is there whole or not at all. Raises OSError where it cannot be written."""
    part = file.with_suffix(file.suffix + ".part")
    with part.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)
