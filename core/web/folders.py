"""Finds the runs below a folder and gives each a name that a link can carry."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from adidem.core.errors import ConfigError, UnknownName
from adidem.core.report.text import spelled
from adidem.core.runs.store import FILE

DEEPEST = 5
"""How far below the folder a run is looked for."""
MOST = 5_000
"""How many runs are listed at most; the rest is named in the page's head."""
PASSED_OVER = frozenset({"annotations", "checkpoints", "node_modules", "__pycache__"})


class Runs:
    """The runs below one folder, or one run alone. What is asked for by name is looked up among those that are there
    and never joined to a path, so that no link leads out of the folder.

    Raises:
        ConfigError: the folder is not there.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise ConfigError(
                f"{root} is not a folder: name a run, or a folder that holds some (adidem run makes runs/)"
            )
        self.root = root
        self.single = (root / FILE).is_file()

    def all(self) -> dict[str, Path]:
        """Name → folder of every run that is there now, in the order of names. A name is the path from the folder, as
        text that a link can carry: bytes of it that are no UTF-8 are spelled out."""
        if self.single:
            return {spelled(self.root.resolve().name): self.root}
        found: dict[str, Path] = {}
        for folder in sorted(_walk(self.root, DEEPEST))[:MOST]:
            name = spelled(folder.relative_to(self.root))
            while name in found:  # a folder whose name is really written as another's is spelled
                name += "'"
            found[name] = folder
        return found

    def folder(self, name: str) -> Path:
        """The folder of the run of that name. Raises UnknownName."""
        runs = self.all()
        if name not in runs:
            raise UnknownName("run", name, runs)
        return runs[name]


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Folders with a store; links are not followed, so that nothing is found twice and nothing outside."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in PASSED_OVER or not entry.is_dir(follow_symlinks=False):
            continue
        path = Path(entry.path)
        if (path / FILE).is_file():
            yield path
        if depth > 1:
            yield from _walk(path, depth - 1)
