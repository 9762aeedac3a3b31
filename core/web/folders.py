"""Finds the runs below a folder and gives each a name that a link can carry."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from adidem.core.errors import ConfigError, UnknownName
from adidem.core.report.text import spelled
from adidem.core.runs.finding import is_run, no_run, of_training, runs_below, trained_below

MOST = 5_000
"""How many runs are listed at most; the rest is named in the page's head."""


class Runs:
    """The runs below one folder, or one run alone. What is asked for by name is looked up among those that are there
    and never joined to a path, so that no link leads out of the folder.

    Raises:
        ConfigError: the folder is not there, or holds training alone.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir() or (of_training(root) and not any(runs_below(root))):
            raise ConfigError(no_run(root))
        self.root = root
        self.single = is_run(root)

    def all(self) -> dict[str, Path]:
        """Name → folder of every run that is there now, in the order of names. A name is the path from the folder, as
        text that a link can carry: bytes of it that are no UTF-8 are spelled out."""
        if self.single:
            return {spelled(self.root.resolve().name): self.root}
        return self._named(runs_below(self.root))

    def trained(self) -> dict[str, Path]:
        """The same of every training run, which holds no episodes."""
        return {} if self.single else self._named(trained_below(self.root))

    def _named(self, folders: Iterable[Path]) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in sorted(folders)[:MOST]:
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

    def training(self, name: str) -> Path:
        """The folder of the training run of that name. Raises UnknownName."""
        trained = self.trained()
        if name not in trained:
            raise UnknownName("training run", name, trained)
        return trained[name]
