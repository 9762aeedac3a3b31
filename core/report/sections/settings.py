"""What a run was given beside its options, as `--set` says it: where the packaged registry would have it otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from adidem.core.kinds import kind_named
from adidem.core.plugins import load_components
from adidem.core.registry import PACKAGED, Suite
from adidem.core.registry.load import normal, typed
from adidem.core.registry.overrides import NO_OVERRIDES, RUN_LEVEL
from adidem.core.registry.reader import read_file
from adidem.core.report.barriers import NONE
from adidem.core.runs.suite import options_in_use
from adidem.core.setup import Setup


def settings(config: Mapping[str, Any], specs: Mapping[str, str | None]) -> Iterator[str]:
    """`--bank` and `--set` words of a run's configuration; `specs` says which of its judges asked which model. A suite
    or a component that is not the project's own is passed over: it needs its registry."""
    yield from _of_suite(config, specs)
    yield from _of_components(config.get("components") or {})
    yield from _of_models(config.get("models") or {})


def of_another_registry(config: Mapping[str, Any]) -> bool:
    """Whether only a registry of one's own has the suite."""
    return config.get("suite") not in packaged().registry.suites


@cache
def packaged() -> Setup:
    """The packaged registry with nothing laid over it, and its components."""
    registry = typed(normal(read_file(PACKAGED)), (str(PACKAGED),))
    return Setup(registry, load_components(registry, ()), NO_OVERRIDES)


def _of_suite(config: Mapping[str, Any], specs: Mapping[str, str | None]) -> Iterator[str]:
    name = str(config.get("suite"))
    suite: Suite | None = packaged().registry.suites.get(name)
    if suite is None:
        return
    if config.get("concurrency") not in (None, suite.concurrency):
        yield from ("--concurrency", str(config["concurrency"]))
    if config.get("bank") not in (None, suite.bank):
        yield from ("--bank", str(config["bank"]))
    said: dict[str, Any] = {key: config[key] for key in ("data", "seats") if key in config}
    if list(config.get("barriers") or ()) == [NONE]:  # what there is else is said by --barrier
        said["barriers"] = []
    labels = list(config.get("judges") or ())
    asked = [label for label in labels if specs.get(label) is not None]
    said["judges"] = [label for label in labels if label not in asked]
    if asked:
        said["model_judges"] = list(dict.fromkeys(label.partition("@")[0] for label in asked))
    for key, value in said.items():
        usual = getattr(suite, key)
        if value != (list(usual) if isinstance(usual, tuple) else usual):
            yield from _set(f"suites.{name}.{key}", value)


def _of_components(components: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    known = {(one.kind.name, one.name): one for one in packaged().components.registered}
    for label, options in components.items():
        kind, _, name = label.partition(".")
        if (kind, name) not in known:
            continue
        usual = options_in_use(packaged().components.get(kind, name))
        for option, value in options.items():
            if option in usual and value != usual[option]:
                yield from _set(f"{kind_named(kind).section}.{name}.{option}", value)


def _of_models(models: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for label, said in models.items():
        who = label.partition(" ")[0]
        if who in RUN_LEVEL:
            for name, value in said.items():
                if name != "model":
                    yield from _set(f"{who}.{name}", value)


def _set(path: str, value: Any) -> Iterable[str]:
    return "--set", f"{path}={json.dumps(value, ensure_ascii=False)}"
