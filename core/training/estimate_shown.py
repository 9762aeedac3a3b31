"""The estimate of a training run as lines for a person: every stage of it, in the order they are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

HEAD = "estimates, for conversations that last to their limit of turns:"


def shown(found: Mapping[str, Any]) -> str:
    """The estimate as lines."""
    return "\n".join(_lines(found))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['model']}: {found['parameters'] / 1e6:,.1f} M parameters, {found['trained'] / 1e6:,.2f} M trained"
    yield HEAD
    yield _start(found["start"])
    for number, stage in enumerate(found["stages"], 1):
        yield from _stage(stage, f"stage {number} of {len(found['stages'])}")
    yield _evaluation(found["evaluation"])
    kept = found["checkpoints"]
    yield (
        f"checkpoints: {kept['written']:,} (every {_many(kept['every'], 'update')}, and where a stage ends), of which "
        f"the last {kept['kept']:,} stay, {kept['gib_each']:.2f} GiB each"
    )
    if found["updates_made"]:
        whole = sum(stage["updates"] for stage in found["stages"])
        yield f"made already: {_many(found['updates_made'], 'update')} of the {whole:,}"
    yield f"in all: {_numbers(found['calls']) or 'no update'}"
    yield from (f"in all, {line}" for line in _others(found["asked_of_others"]))


def _start(start: Mapping[str, Any]) -> str:
    if start["from"] != "imitation":
        return f"start: {start['from']}"
    length = f"{start['steps']:,} steps" if start["seconds"] is None else f"{start['seconds']:g} seconds"
    made = "still to be made" if start["kept"] is None else f"made already, in {start['kept']}"
    return (
        f"start: imitation of {start['demonstrations']:,} demonstrations in {start['scenarios']:,} scenarios, {length} "
        f"of {start['batch']:,}; {made}"
    )


def _stage(stage: Mapping[str, Any], which: str) -> Iterator[str]:
    shapes, epochs = stage["shapes"], stage["epochs"]
    yield f"{which}, {stage['trainer']}: {_many(stage['updates'], 'update')}; in each:"
    who = "" if stage["played_by"] == "policy" else f" by {stage['played_by']}"
    yield (
        f"  rollouts: {shapes['conversations']:,} conversations{who} ({shapes['scenarios']:,} scenarios × 2 worlds × "
        f"{stage['samples']:,} samples): {_numbers(stage['calls_per_update'])}"
    )
    yield from (f"  {line}" for line in _others(stage["asked_of_others_per_update"]))
    cut, asked = shapes["minibatches"] // epochs, shapes["minibatches_asked"] // epochs
    why = "" if cut == asked else f" (not {asked:,}: one holds a conversation at least)"
    yield f"  learning: {epochs:,} epochs × {cut:,} minibatches{why}, micro-batches of {shapes['micro_batch']:,}"
    yield (
        f"  tokens of a conversation: opening {shapes['tokens_opening']:,}, said {shapes['tokens_said']:,}, all "
        f"{shapes['tokens_all']:,}"
    )
    memory = stage["memory_gib"]
    yield "  memory, GiB: " + ", ".join(f"{name.replace('_', ' ')} {number:.2f}" for name, number in memory.items())


def _evaluation(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "evaluation: none"
    kinds = ", ".join(f"{name} {count:,}" for name, count in found["episodes"].items())
    each, passes, after = found["episodes_of_a_pass"], found["passes"], found["after_updates"]
    places = ", ".join(map(str, after if len(after) < 8 else [*after[:3], "…", after[-1]]))
    lines = [
        f"evaluation: {_many(passes, 'pass')} (after update {places}) of {each:,} episodes ({found['split']}: "
        f"{kinds}): {passes * each:,} episodes"
    ]
    return "\n  a pass: ".join([*lines, *_others(found["asked_of_others_per_pass"])])


def _others(asked: Mapping[str, Mapping[str, int]]) -> list[str]:
    return [
        f"{who}: {use['calls']:,} calls, {use['prompt_tokens']:,} prompt and {use['completion_tokens']:,} completion "
        "tokens"
        for who, use in asked.items()
    ]


def _many(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 else f'{what}es' if what.endswith('s') else f'{what}s'}"


def _numbers(calls: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in calls.items() if number)
