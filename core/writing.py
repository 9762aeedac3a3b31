"""Files are there whole or not at all; and whether something can be written where a person asked for it is seen before
anything is computed, not after."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file that is there whole or not at all, whatever happens meanwhile; text as UTF-8. What was there before
    stays until then. Raises OSError, which names the file, where it cannot be written."""
    part = file.with_name(f"{file.name}.part")
    try:
        with part.open("wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror or str(error), str(file)) from error


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder that is there whole or not at all: what is given is one beside it to write in, which has its name in
    the end. After an error nothing is left, nor of the folders above that were made for it. Raises OSError, which names
    a file, where it cannot be written."""
    part = folder.with_name(f".{folder.name}.part")
    with _made(folder.parent):
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            yield part
            part.rename(folder)
        except BaseException as error:
            shutil.rmtree(part, ignore_errors=True)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror or str(error), str(folder)) from error
            raise


def write_new(file: Path, content: str | bytes) -> None:
    """The same as `write_whole`, for a file whose folders may have to be made: after an error they are gone again."""
    with _made(file.parent):
        write_whole(file, content)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """A folder with those above it, which are removed after an error where they are new."""
    missing = [each for each in (folder.absolute(), *folder.absolute().parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for each in missing:
                each.rmdir()
        raise
