"""Whether something can be written where a person asked for it: seen before anything is computed, not after."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryFile

from adidem.core.errors import ConfigError


def must_be_writable(path: Path, option: str = "--out", *, folder: bool = False, parents: bool = True) -> None:
    """See that a file, or a folder of files, can be made at a path; nothing stays there. With `parents` the folders
    above it are made later on, without it they must be there.

    Raises:
        ConfigError: it cannot; the option that named it is told.
    """
    kind = "folder" if folder else "file"
    try:
        if path.exists() and path.is_dir() != folder:
            raise ConfigError(f"{path} is a {'file' if folder else 'folder'}; give a {kind} with {option}")
        home = path if folder and path.exists() else path.absolute().parent
        there = next(each for each in (home, *home.parents) if each.exists())
        if there != home and not parents:
            raise ConfigError(f"{path} cannot be written (no folder {home}); give another {kind} with {option}")
        with TemporaryFile(dir=there):  # permissions alone say little: of root, of a file system that is read-only
            pass
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror or error}); give another {kind} with {option}"
        ) from error


def must_be_new(path: Path, option: str = "--out", *, folder: bool = False, parents: bool = True) -> None:
    """The same for what never overwrites anything. Raises ConfigError where something is there already, too."""
    if os.path.lexists(path):
        raise ConfigError(f"{path} exists; name a new one with {option}")
    must_be_writable(path, option, folder=folder, parents=parents)
