"""How a run is begun and gone on with: by the settings that it was begun with, never by others without a word."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from adidem.core.errors import ConfigError
from adidem.core.llm.redact import redact
from adidem.core.registry.merge import merge
from adidem.core.registry.overrides import parse_overrides
from adidem.core.registry.tree import Node, Place, plain
from adidem.core.runs.finding import is_run
from adidem.core.runs.recipe import CODE
from adidem.core.setup import Setup
from adidem.core.training.prepare import UNCHANGEABLE, Ready, prepare
from adidem.core.training.recipe import Read, laid_over, node_of
from adidem.core.training.settings import MISSING, Change, changes, concerns, only_new, says, touched, written

RECIPE = "recipe.json"
"""The file of a run's folder that says what it hangs on."""

_PLACE = Place("recipe")


@frozen(eq=False)
class Words:
    """What a person asks for: a recipe (None, when a run goes on: its own), the settings of the command line that are
    laid over it, a trainer, a seed; and the settings of the registry, with which the setup was loaded."""

    recipe: Read | None
    given: Node
    trainer: str | None = None
    seed: int | None = None
    sets: tuple[str, ...] = ()

    def asked(self) -> dict[str, Any]:
        """All of it as plain values, as it is kept with the run."""
        recipe = {} if self.recipe is None else plain(self.recipe.tree)
        kept = {"recipe": _deciding(recipe), "given": _deciding(plain(self.given))}
        return {**kept, "trainer": self.trainer, "seed": self.seed, "sets": [redact(text) for text in self.sets]}


def recalled_sets(folder: Path, sets: Sequence[str]) -> list[str]:
    """`--set` words of the registry, laid over those with which the run in a folder was begun: these need not be given
    again. Which code is loaded is said anew each time, never by a run's folder. Raises ConfigError."""
    if not (folder / RECIPE).is_file():
        return list(sets)
    then = (recipe_of_run(folder).get("asked") or {}).get("sets", [])
    return [*(text for text in then if text not in sets and not text.lstrip().startswith(CODE)), *sets]


def begun(setup: Setup, words: Words) -> Ready:
    """A run made ready by what a person asks for. Raises ConfigError as `prepare` does."""
    if words.recipe is None:
        raise ConfigError("which recipe? give it with --recipe FILE")
    read = laid_over(words.recipe.tree, words.given)
    return _told(prepare(setup, read, words.trainer, words.seed), words.asked())


def resumed(folder: Path, setup: Setup, words: Words) -> tuple[Ready, list[str]]:
    """The run in a folder, ready to go on, and what a person is to be told. Where what is asked for is what was asked
    for when it was begun, or nothing, its settings are those of then, whatever the defaults are now.

    Raises:
        ConfigError: the folder holds no run; or settings are others or new: they are named, with what they were.
    """
    before = recipe_of_run(folder)
    words = _recalled(words, before)
    now = _as_asked(before, setup, words)
    said, found = _merged(now.document["asked"]), changes(before, now.document)
    if not found:
        return now, []
    keys = None if "asked" not in before else touched(_merged(before["asked"]), said)
    others = [c for c in found if c.now is MISSING or (c.was is not MISSING and (keys is None or concerns(c, keys)))]
    new = [c for c in found if c.was is MISSING and not says(said, c)]
    if others or new:
        raise ConfigError(_refusal(folder, others, new, said))
    over = words.given if words.recipe is None else laid_over(words.recipe.tree, words.given).tree
    kept = _told(_of_then(before, setup, only_new(over, before["recipe"]), words.trainer), now.document["asked"])
    left = [c for c in changes(before, kept.document) if not says(said, c)]
    if left:
        raise ConfigError(_refusal(folder, left, [], said))
    told = [f"{c.key} {written(c.was)} (begun now it would be {written(c.now)})" for c in found if c.was is not MISSING]
    notes = [f"{folder} goes on with the settings that it was begun with: {', '.join(told)}"] if told else []
    return kept, notes


def recipe_of_run(folder: Path) -> Mapping[str, Any]:
    """What the run in a folder was begun with. Raises ConfigError."""
    file = folder / RECIPE
    if not file.is_file():
        played = ", but a run that was played: adidem run resumes it" if is_run(folder) else ""
        raise ConfigError(f"--resume: {folder} holds no training run{played}")
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"--resume: {file}: not readable as JSON: {error}; take another folder") from error
    if not _is_whole(found):
        raise ConfigError(f"--resume: {file}: says no recipe and phases: it is not what a run was trained with")
    return dict(found)


def _is_whole(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("recipe"), dict):
        return False
    asked, phases = found.get("asked"), found.get("phases")
    parts = ("recipe", "given")
    texts = asked.get("sets", []) if isinstance(asked, dict) else []
    return (
        (asked is None or (isinstance(asked, dict) and all(isinstance(asked.get(part), dict) for part in parts)))
        and isinstance(texts, list)
        and all(isinstance(text, str) for text in texts)
        and isinstance(phases, list)
        and all(isinstance(one, dict) and isinstance(one.get("options"), dict) and "trainer" in one for one in phases)
    )


def _recalled(words: Words, before: Mapping[str, Any]) -> Words:
    """The words, laid over those of then: what was given on the command line need not be given again."""
    then = before.get("asked") or {}
    names = [str(phase["trainer"]) for phase in before["phases"]]
    own = words.recipe is not None and (words.recipe.recipe.trainer or words.recipe.recipe.stages)
    several = words.recipe is None and before["recipe"].get("stages")
    trainer = words.trainer or then.get("trainer") or (None if own or several or len(names) != 1 else names[0])
    given = merge(node_of(then.get("given", {}), _PLACE), words.given)
    return evolve(words, trainer=trainer, given=given, seed=then.get("seed") if words.seed is None else words.seed)


def _as_asked(before: Mapping[str, Any], setup: Setup, words: Words) -> Ready:
    """The run as it would be if it were begun now."""
    if words.recipe is not None:
        return begun(setup, words)
    ready = _of_then(before, setup, words.given, words.trainer, words.seed)
    return _told(ready, {**words.asked(), "recipe": (before.get("asked") or {}).get("recipe", {})})


def _of_then(
    before: Mapping[str, Any], setup: Setup, over: Node, trainer: str | None, seed: int | None = None
) -> Ready:
    """The run by its own settings and options, with some laid over them."""
    tree = merge(node_of(before["recipe"], _PLACE), over)
    own = Node({name: member for name, member in tree.members.items() if name != "study"}, tree.place)
    try:
        read = laid_over(own, Node({}, _PLACE))
        return prepare(setup, read, trainer, seed, kept=[_options(phase, over) for phase in before["phases"]])
    except ConfigError as error:
        raise ConfigError(f"--resume: it cannot go on with the settings that it was begun with: {error}") from error


def _options(phase: Mapping[str, Any], over: Node) -> tuple[str, Mapping[str, Any]]:
    """A trainer and its options, but those that are laid over."""
    name = str(phase["trainer"])
    return name, {key: value for key, value in phase["options"].items() if over.at("trainers", name, key) is None}


def _merged(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """A person's words as one recipe, with those of the registry beside it."""
    words = plain(merge(node_of(asked["recipe"], _PLACE), node_of(asked["given"], _PLACE)))
    words = {**plain(parse_overrides(asked.get("sets", [])).registry), **words}
    if asked.get("trainer") is not None:
        words = {**{name: value for name, value in words.items() if name != "stages"}, "trainer": asked["trainer"]}
    return words if asked.get("seed") is None else {**words, "seed": asked["seed"]}


def _deciding(words: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in words.items() if name not in (*UNCHANGEABLE, "study")}


def _told(ready: Ready, asked: Mapping[str, Any]) -> Ready:
    return evolve(ready, document=json.loads(json.dumps({**ready.document, "asked": asked})))


def _refusal(folder: Path, others: Sequence[Change], new: Sequence[Change], said: Mapping[str, Any]) -> str:
    parts = []
    if others:
        lines = "; ".join(f"{change}{_hint(change, said)}" for change in others)
        parts.append(
            f"{folder} was trained with other settings: {lines}. That is another run: to go on with this one, ask for "
            "what was asked for then, or leave out --recipe and --set; to train its policy further, take another --out "
            f"and --set policy.start={folder / 'policy'}"
        )
    if new:
        sets = " ".join(f"--set {change.key}={json.dumps(change.now)}" for change in new)
        parts.append(f"{folder} was begun before there was {', '.join(c.key for c in new)}: to go on, give {sets}")
    return f"--resume: {'; and '.join(parts)}"


def _hint(change: Change, said: Mapping[str, Any]) -> str:
    """How a default that is another one by now is kept as it was."""
    if says(said, change) or MISSING in (change.was, change.now) or "." not in change.key:
        return ""
    return f" (the default; --set {change.key}={json.dumps(change.was)} keeps it)"
