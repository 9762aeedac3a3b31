"""Draws a study out of one run or two: which conversations, under which opaque names, in which order for whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import zip_longest
from random import Random
from typing import TypeAlias, TypeVar

from attrs import frozen

from adidem.core.annotation.key import Handed, Mark, StudyKey
from adidem.core.annotation.questions import Kind, Question
from adidem.core.annotation.shown import Situation, Talk, digest, situation_of, talk_of
from adidem.core.domain import Episode, Scenario
from adidem.core.errors import ConfigError
from adidem.core.runs.store import RunStore

T = TypeVar("T")
EpisodeKey: TypeAlias = tuple[str, str, int]


@frozen(unsafe_hash=False)
class Item:
    """One thing to answer questions about, as an annotator sees it: one conversation, or two of the same task in the
    order left, right."""

    id: str
    situation: Situation
    talks: tuple[Talk, ...]
    questions: tuple[Question, ...]


@frozen(unsafe_hash=False)
class Sheet:
    """What one annotator is given: the items in their order."""

    id: str
    annotator: str
    items: tuple[Item, ...]


@frozen(unsafe_hash=False)
class Study:
    """The sheets, and the key that stays behind."""

    sheets: tuple[Sheet, ...]
    key: StudyKey


@frozen(unsafe_hash=False)
class _Drawn:
    id: str
    mark: Mark
    situation: Situation
    talks: Mapping[str, Talk]


def draw(
    run: RunStore,
    run_b: RunStore | None,
    questions: Sequence[Question],
    *,
    seed: int = 0,
    limit: int | None = None,
    annotators: int = 1,
) -> Study:
    """A study over the scored episodes with a conversation; with `run_b`, over those of the same task, condition and
    repeat in both. `limit` conversations (and as many pairs) are drawn, the families in turn and within each the
    conditions in turn. The same runs and seed give the same study; conversations come before pairs.

    Raises:
        ConfigError: nothing to ask, or nothing to ask about.
    """
    kinds = [kind for kind in _kinds(run_b) if any(question.of == kind for question in questions)]
    if not kinds:
        raise ConfigError(f"nothing to ask: {questions[0].name} is asked of two runs, give RUN_B")
    secret = f"{seed}/{_secret(run)}"
    scenarios = run.played()
    keys = _picked(_shared(run, run_b, scenarios), limit, Random(secret))
    drawn = [
        _drawn(f"item-{_opaque(secret, kind, *key)}", kind, run.episode(*key), scenarios, run_b)
        for kind in kinds
        for key in keys
    ]
    handed = [_handed(drawn, questions, f"annotator-{n + 1}", secret) for n in range(annotators)]
    key = StudyKey(
        run=run.folder.resolve().name,
        run_b=None if run_b is None else run_b.folder.resolve().name,
        seed=seed,
        items={item.id: item.mark for item in drawn},
        sheets={sheet.id: Handed(sheet.annotator, left) for sheet, left in handed},
    )
    return Study(tuple(sheet for sheet, _ in handed), key)


def _kinds(run_b: RunStore | None) -> tuple[Kind, ...]:
    return ("conversation",) if run_b is None else ("conversation", "pair")


def _secret(run: RunStore) -> str:
    """What only who has the run knows (its times to the microsecond are in it), so that nobody can work out from an
    item's name, or from the order, what it is."""
    found = blake2b(digest_size=16)
    for row in run.rows():
        found.update(repr(sorted(row.items())).encode())
    return found.hexdigest()


def _opaque(secret: str, *parts: object) -> str:
    return blake2b("/".join(map(str, (secret, *parts))).encode(), digest_size=6).hexdigest()


def _shared(run: RunStore, run_b: RunStore | None, scenarios: Mapping[str, Scenario]) -> dict[EpisodeKey, str]:
    """The family of each episode that can be read, and of two runs only those with the same scenario in both."""
    found = _families(run)
    if not found:
        raise ConfigError(f"{run.folder} has no scored episode with a conversation")
    if run_b is None:
        return found
    same = {scenario.id for scenario in run_b.scenarios() if scenarios.get(scenario.id) == scenario}
    there = _families(run_b)
    shared = {key: family for key, family in found.items() if key in there and key[0].rsplit("/", 2)[0] in same}
    if not shared:
        raise ConfigError(f"{run.folder} and {run_b.folder} share no task, condition and repeat with a conversation")
    return shared


def _families(run: RunStore) -> dict[EpisodeKey, str]:
    return {
        (row["task"], row["barrier"], row["repeat"]): row["family"]
        for row in run.rows()
        if row["status"] == "scored" and row["turns"]
    }


def _picked(families: Mapping[EpisodeKey, str], limit: int | None, rng: Random) -> list[EpisodeKey]:
    groups: dict[str, dict[str, list[EpisodeKey]]] = {}
    for key in sorted(families):
        groups.setdefault(families[key], {}).setdefault(key[1], []).append(key)
    lanes = []
    for place, family in enumerate(sorted(groups)):
        conditions = [rng.sample(keys, len(keys)) for _, keys in sorted(groups[family].items())]
        start = place % len(conditions)
        lanes.append(_in_turn([*conditions[start:], *conditions[:start]]))
    return _in_turn(lanes)[:limit]


def _in_turn(lanes: Iterable[Sequence[T]]) -> list[T]:
    """One of each lane, then the next of each."""
    return [entry for row in zip_longest(*lanes) for entry in row if entry is not None]


def _drawn(
    name: str, kind: Kind, episode: Episode, scenarios: Mapping[str, Scenario], run_b: RunStore | None
) -> _Drawn:
    scenario = scenarios[episode.scenario]
    talks = {"a": talk_of(episode, scenario)}
    if kind == "pair" and run_b is not None:
        talks["b"] = talk_of(run_b.episode(*episode.key), scenario)
    mark = Mark(kind, *episode.key, turns=len(episode.turns), digest=digest(episode))
    return _Drawn(name, mark, situation_of(scenario.world(episode.world)), talks)


def _handed(
    drawn: Sequence[_Drawn], questions: Sequence[Question], annotator: str, secret: str
) -> tuple[Sheet, dict[str, str]]:
    """One annotator's sheet in an order of its own, and which run stands on the left of each pair."""
    rng = Random(f"{secret}/{annotator}")
    order = sorted(rng.sample(drawn, len(drawn)), key=lambda item: item.mark.kind)  # conversations first
    left = {item.id: rng.choice("ab") for item in order if item.mark.kind == "pair"}
    items = tuple(
        Item(
            id=item.id,
            situation=item.situation,
            talks=tuple(
                item.talks[side] for side in ("ba" if left.get(item.id) == "b" else "ab") if side in item.talks
            ),
            questions=tuple(question for question in questions if question.of == item.mark.kind),
        )
        for item in order
    )
    return Sheet(f"sheet-{_opaque(secret, annotator)}", annotator, items), left
