"""Takes finished sheets back: checks every answer, maps it to its task by the key, stores it beside the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson
from attrs import asdict, frozen

from adidem.core.annotation.finished import Line, SheetProblems, read_lines, whole
from adidem.core.annotation.key import StudyKey
from adidem.core.annotation.questions import questions
from adidem.core.annotation.shown import digest
from adidem.core.errors import ConfigError
from adidem.core.language.patterns import Pattern
from adidem.core.runs.store import RunStore
from adidem.core.writing import write_whole

FOLDER = "annotations"
NAME = Pattern(r"[A-Za-z0-9_-]{1,40}")


@frozen
class Annotation:
    """One answer of one annotator about one episode. `turn` counts from 0, as everywhere; `run_b` is the second run of
    a comparison, whose answers are `a` (this run), `b` or `tie`."""

    annotator: str
    task: str
    barrier: str
    repeat: int
    question: str
    answer: str
    turn: int | None = None
    run_b: str | None = None
    sheet: str = ""
    item: str = ""


def read_annotations(sheets: Iterable[Path], key: StudyKey) -> tuple[list[Annotation], int]:
    """Every answer in the finished sheets, mapped by the key, and how many questions were left open.

    Raises:
        SheetProblems: with a line for every fault; then nothing of the sheets is to be used.
        ConfigError: a file that cannot be read at all.
    """
    found: list[Annotation] = []
    problems: list[str] = []
    seen: dict[tuple[str, str, str], str] = {}
    left_open = 0
    for path in sheets:
        lines, wrong = read_lines(path)
        problems += wrong
        for line in lines:
            read = _read(line, key)
            if isinstance(read, str):
                problems.append(f"{line.where}: {read}")
            elif read is None:
                left_open += 1
            else:
                before = seen.setdefault((read.annotator, read.item, read.question), line.where)
                if before != line.where:
                    problems.append(f"{line.where}: {read.annotator} answered this already, in {before}")
                found.append(read)
    if problems:
        raise SheetProblems(problems)
    return found, left_open


def _read(line: Line, key: StudyKey) -> Annotation | str | None:
    """The answer on a line, None where it was left open, or what is wrong with it."""
    handed, mark = key.sheets.get(line["sheet"]), key.items.get(line["item"])
    if handed is None:
        return f"sheet {line['sheet']!r} is not one of this key"
    if mark is None:
        return f"item {line['item']!r} is not one of this key"
    annotator = line["annotator"] or handed.annotator
    if NAME.fullmatch(annotator) is None:
        return f"annotator {annotator!r}: a name is 1 to 40 letters, digits, - or _"
    question = questions().get(line["question"])
    if question is None or question.of != mark.kind:
        return f"question {line['question']!r} is not asked of this item"
    if not line["answer"]:
        return f"{question.name}: a turn without an answer" if line["turn"] else None
    answer = question.read(line["answer"].removesuffix(".0"))
    if answer is None:
        return f"{question.name}: {line['answer']!r} is no answer; it is one of {', '.join(question.answers)}"
    turn = whole(line["turn"])
    if line["turn"] and (turn is None or not 1 <= turn <= mark.turns):
        return f"{question.name}: turn {line['turn']!r} is none of 1 to {mark.turns}"
    if turn is not None and answer != "yes":
        return f"{question.name}: a turn beside {answer!r}"
    if mark.kind == "pair" and answer != "tie":
        left = handed.left.get(line["item"], "a")
        answer = left if answer == "left" else "b" if left == "a" else "a"
    return Annotation(
        annotator,
        mark.task,
        mark.barrier,
        mark.repeat,
        question.name,
        answer,
        turn=None if turn is None else turn - 1,
        run_b=key.run_b if mark.kind == "pair" else None,
        sheet=line["sheet"],
        item=line["item"],
    )


def check_run(run: RunStore, key: StudyKey) -> None:
    """Raises ConfigError where a conversation of the key is not in this run, or says something else there."""
    known = run.scored()
    for name, mark in key.items.items():
        episode = (mark.task, mark.barrier, mark.repeat)
        if episode not in known or digest(run.episode(*episode)) != mark.digest:
            raise ConfigError(
                f"{run.folder} is not the run of this key ({key.run}): it has not the conversation of {name}"
            )


def store(run: RunStore, found: Sequence[Annotation], *, replace: bool = False) -> dict[str, Path]:
    """Write `annotations/NAME.jsonl` in the run's folder for each annotator; gives back the files by annotator.

    Raises:
        ConfigError: a file is there already and `replace` is not given; then nothing is written.
    """
    by_name: dict[str, list[Annotation]] = {}
    for annotation in found:
        by_name.setdefault(annotation.annotator, []).append(annotation)
    folder = run.folder / FOLDER
    paths = {name: folder / f"{name}.jsonl" for name in sorted(by_name)}
    there = [str(path) for path in paths.values() if path.exists()]
    if there and not replace:
        raise ConfigError(f"{', '.join(there)} is there already: give --replace, or another name in the sheet")
    folder.mkdir(exist_ok=True)
    for name, path in paths.items():
        write_whole(path, b"".join(orjson.dumps(asdict(annotation)) + b"\n" for annotation in by_name[name]))
    return paths
