"""Checkpoints: the full state after an update, written whole or not at all; a killed run goes on from the last."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from adidem.core.errors import TrainingError

FOLDER, STATE, HALF = "checkpoints", "state.pt", ".half"
LOCK = "train.lock"
"""The file by which a process holds the folder of a run, of a study, or of a study's cell."""


def save(run: Path, update: int, state: Mapping[str, Any], keep: int) -> None:
    """Write the state after so many updates, and forget all but the last `keep`. A checkpoint appears under its name
    only once it lies on the disk whole.

    Raises:
        TrainingError: it cannot be written.
    """
    import torch

    home = run / FOLDER
    half = home / f"{update:06d}{HALF}"
    try:
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        with (half / STATE).open("wb") as file:
            torch.save(dict(state), file)
            file.flush()
            os.fsync(file.fileno())
        final = home / f"{update:06d}"
        shutil.rmtree(final, ignore_errors=True)
        half.rename(final)
    except OSError as error:
        raise TrainingError(f"{half}: the checkpoint cannot be written: {error.strerror or error}") from error
    for old in saved(run)[:-keep]:
        shutil.rmtree(home / f"{old:06d}", ignore_errors=True)


def saved(run: Path) -> list[int]:
    """After how many updates there are checkpoints, the earliest first."""
    return sorted(int(path.name) for path in (run / FOLDER).glob("[0-9]*") if path.name.isdigit())


def made(run: Path, planned: int) -> int:
    """After how many of the updates that are planned a run goes on; 0 where it begins. No state is read.

    Raises:
        TrainingError: more were made, or the last checkpoint is torn.
    """
    found = max(saved(run), default=0)
    if found > planned:
        raise TrainingError(f"{run} has {found} updates and {planned} are asked for")
    file = run / FOLDER / f"{found:06d}" / STATE
    if found and not is_zipfile(file):
        why = "it is torn" if file.is_file() else "there is none"
        raise TrainingError(f"{file}: cannot be read: {why}; delete its folder to go on from an earlier one")
    return found


def whole(run: Path) -> list[int]:
    """Those of them whose state is not torn. No state is read."""
    return [update for update in saved(run) if is_zipfile(run / FOLDER / f"{update:06d}" / STATE)]


def load(run: Path, update: int) -> dict[str, Any]:
    """The state after so many updates, on the CPU; only tensors and plain values are read.

    Raises:
        TrainingError: it cannot be read.
    """
    import torch

    file = run / FOLDER / f"{update:06d}" / STATE
    try:
        state: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # what a torn file raises is anything
        said = " ".join(str(error).split())[:200]
        raise TrainingError(
            f"{file}: cannot be read: {said}; delete its folder to go on from an earlier one"
        ) from error
    return state
