"""What a run was asked for, as plain values: enough to make it ready again in another process."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from adidem.core.llm.redact import redact
from adidem.core.registry.load import PACKAGED, find_registry
from adidem.core.runs.scenarios import Selection
from adidem.core.runs.suite import Prepared, prepare
from adidem.core.setup import Setup, load

OF_RUN = ("agent", "limit", "barrier_on", "repair", "detect")
"""Settings that the command line alone holds."""

CODE = ("plugins", "builtins")
"""Settings that say which code is loaded."""


@frozen(unsafe_hash=False)
class Recipe:
    """A suite with what the command line changes of it (`changes` are fields of the suite), who speaks and who judges,
    and what all of it is loaded from."""

    suite: str
    agent: str
    changes: Mapping[str, Any] = field(factory=dict)
    judges: tuple[str, ...] = ()
    limit: int | None = None
    barrier_on: str = "partner"
    repair: str | None = None
    detect: bool = False
    registry: Path | None = None
    plugins: tuple[Path, ...] = ()
    sets: tuple[str, ...] = ()
    strict: bool = False

    def placed(self) -> Recipe:
        """The same with whole paths, for a process in another folder; ./registry.yaml, where it is used, among them."""
        registry = find_registry(self.registry) or PACKAGED  # laid over itself it changes nothing
        plugins = tuple(path.absolute() for path in self.plugins)
        return evolve(self, registry=registry.absolute(), plugins=plugins)

    def words(self) -> dict[str, Any]:
        """What was asked for as plain JSON values, as it is kept with the run: without what it is loaded from, and
        without any key."""
        return {
            "suite": self.suite,
            "agent": self.agent,
            "changes": {name: list(v) if isinstance(v, tuple) else v for name, v in self.changes.items()},
            "judges": list(self.judges),
            "limit": self.limit,
            "barrier_on": self.barrier_on,
            "repair": self.repair,
            "detect": self.detect,
            "sets": [redact(text) for text in self.sets],
        }

    def recalled(self, words: Mapping[str, Any], given: Collection[str]) -> Recipe:
        """The same, laid over the kept words of the run that it goes on with; `given` are the settings of its own that
        a person names. Which code is loaded is said anew each time, never by a run's folder."""
        changes = {name: tuple(v) if isinstance(v, list) else v for name, v in words["changes"].items()}
        sets = [text for text in words["sets"] if text not in self.sets and not text.lstrip().startswith(CODE)]
        kept = {name: words[name] for name in OF_RUN if name not in given}
        return evolve(
            self,
            changes={**changes, **self.changes},
            judges=self.judges if "judges" in given else tuple(words["judges"]),
            sets=(*sets, *self.sets),
            **kept,
        )

    def setup(self) -> Setup:
        """Load the registry and every plugin. Raises ConfigError."""
        return load(self.registry, self.plugins, self.sets, strict=self.strict)

    def prepared(
        self, setup: Setup, selection: Selection | None = None, share: int = 1, *, called: bool = True
    ) -> Prepared:
        """Make the run ready, with what `prepare` takes besides. Raises ConfigError."""
        return prepare(
            setup,
            self.suite,
            setup.suite(self.suite, **self.changes),
            self.agent,
            judge_specs=self.judges,
            limit=self.limit,
            barrier_on=self.barrier_on,
            repair=self.repair,
            detect=self.detect,
            selection=selection,
            share=share,
            called=called,
        )
