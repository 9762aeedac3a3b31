"""What `agree` compares: ratings stored in a run, and files of annotations, brought to one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import field, frozen

from adidem.core.analysis.agreement import Key, Value
from adidem.core.annotation.finished import Line, SheetProblems, read_lines, whole
from adidem.core.annotation.imports import FOLDER, read_annotations
from adidem.core.annotation.key import StudyKey
from adidem.core.annotation.questions import questions
from adidem.core.errors import ConfigError, UnknownName
from adidem.core.runs.store import FILE, RunStore

VERDICT = "integrity"
"""The dimension of the judges that look for violations."""

SHAPES = "RUN:judge.dimension, RUN:judge@spec.dimension, or a .csv or .jsonl file of annotations"


@frozen(unsafe_hash=False)
class Source:
    """One rater: what it gave on each dimension, how often it gave no score, and the run it rated, where known."""

    name: str
    ratings: Mapping[str, Mapping[Key, Value]]
    unscored: Mapping[str, int] = field(factory=dict)
    run: Path | None = None


def read_sources(text: str, key: StudyKey | None = None) -> list[Source]:
    """The raters of one argument: a stored rating, or every annotator of a file. `key` maps sheets not yet imported.

    Raises:
        ConfigError: it is neither, or cannot be read; SheetProblems where lines of a file are wrong.
    """
    path = Path(text)
    if path.is_file():
        return _annotators(path, key)
    for place in (place for place, letter in enumerate(text) if letter == ":"):
        if (Path(text[:place]) / FILE).is_file():
            return [_stored(text, Path(text[:place]), text[place + 1 :])]
    raise ConfigError(f"{text}: no such file and no such run; a source is {SHAPES}")


# ----------------------------------------------------------------------------------------------------- stored ratings


def _stored(text: str, folder: Path, wanted: str) -> Source:
    """A rating by its name in a report; a name `judge.KIND` of a violation says whether that judge flagged it."""
    with RunStore(folder) as run:
        rated: dict[str, dict[Key, Value]] = {}
        unscored: dict[str, int] = {}
        judged: dict[str, set[Key]] = {}
        charges: set[str] = set()
        for row in run.ratings():
            name = f"{row['judge']}.{row['dimension']}" + (".partner" if row["who"] == "partner" else "")
            values = rated.setdefault(name, {})
            if row["score"] is None:
                unscored[name] = unscored.get(name, 0) + 1
            else:
                values[_key(row)] = float(row["score"])
                judged.setdefault(row["judge"], set()).add(_key(row))
                if row["dimension"] == VERDICT:
                    charges.add(row["judge"])
        for name, values in _flagged(run, judged, charges).items():
            rated.setdefault(name, values)
    if wanted not in rated:
        raise UnknownName(f"rating in {folder}", wanted, rated)
    judge = (
        next(judge for judge in sorted(judged, key=len, reverse=True) if wanted.startswith(f"{judge}."))
        if judged
        else ""
    )
    dimension = wanted.removeprefix(f"{judge}.")
    return Source(text, {dimension: rated[wanted]}, {dimension: unscored.get(wanted, 0)}, folder.resolve())


def _flagged(run: RunStore, judged: Mapping[str, set[Key]], charges: set[str]) -> dict[str, dict[Key, Value]]:
    """For each judge that flags (those of Integrity, though they found nothing), and each violation that annotators are
    asked about: 1 where it flagged it, else 0."""
    kinds = [name for name, question in questions().items() if question.turn]
    flags = [(row["judge"], row["kind"], _key(row)) for row in run.flags() if row["supported"]]
    found: dict[str, dict[Key, Value]] = {}
    for judge in {judge for judge, kind, _ in flags if kind in kinds} | charges:
        for kind in kinds:
            raised = {key for by, what, key in flags if (by, what) == (judge, kind)}
            found[f"{judge}.{kind}"] = {key: float(key in raised) for key in judged.get(judge, ())}
    return found


def _key(row: Mapping[str, object]) -> Key:
    return str(row["task"]), str(row["barrier"]), int(str(row["repeat"]))


# -------------------------------------------------------------------------------------------------- annotation files


def _annotators(path: Path, key: StudyKey | None) -> list[Source]:
    lines, problems = read_lines(path)
    if problems:
        raise SheetProblems(problems)
    if not any(line["task"] for line in lines):
        return _of_rows(path, _by_key(path, lines, key))
    rows = [_read(line) for line in lines]
    problems = [f"{line.where}: {row}" for line, row in zip(lines, rows, strict=True) if isinstance(row, str)]
    if problems:
        raise SheetProblems(problems)
    return _of_rows(path, [row for row in rows if not isinstance(row, str) and row is not None])


Row = tuple[str, str, Key, Value]
"""Annotator, question, item, value."""


def _by_key(path: Path, lines: Sequence[Line], key: StudyKey | None) -> list[Row]:
    if not any(line["item"] for line in lines):
        raise ConfigError(f"{path}: has neither a column task nor a column item")
    if key is None:
        raise ConfigError(
            f"{path} is a sheet that was not imported: give --key FILE, or import it with adidem annotate"
        )
    found, _ = read_annotations([path], key)
    return [
        (a.annotator, a.question, (a.task, a.barrier, a.repeat), questions()[a.question].value(a.answer)) for a in found
    ]


def _read(line: Line) -> Row | str | None:
    """A row by task; None where it was left open, or what is wrong with it. Any question may be asked in such a file:
    one that adidem asks takes its answers, any other numbers or words."""
    if not line["task"]:
        return "has no task"
    repeat = whole(line["repeat"] or "0")
    if repeat is None:
        return f"repeat {line['repeat']!r} is no number"
    if not line["question"]:
        return "has no question"
    if not line["answer"]:
        return None
    key = (line["task"], line["barrier"] or "none", repeat)
    question = questions().get(line["question"])
    if question is None or question.of == "pair":
        return line["annotator"], line["question"], key, _value(line["answer"])
    answer = question.read(line["answer"].removesuffix(".0"))
    if answer is None:
        return f"{question.name}: {line['answer']!r} is no answer; it is one of {', '.join(question.answers)}"
    return line["annotator"], question.name, key, question.value(answer)


def _value(text: str) -> Value:
    from math import isfinite

    try:
        number = float(text)
    except ValueError:
        return text
    return number if isfinite(number) else text


def _of_rows(path: Path, rows: Sequence[Row]) -> list[Source]:
    found: dict[str, dict[str, dict[Key, Value]]] = {}
    problems = []
    for annotator, question, key, value in rows:
        values = found.setdefault(annotator, {}).setdefault(question, {})
        if values.setdefault(key, value) != value:
            problems.append(f"{path}: {annotator or 'somebody'} answered {question} of {'/'.join(map(str, key))} twice")
    if problems:
        raise SheetProblems(problems)
    if not found:
        raise ConfigError(f"{path}: holds no answer")
    run = _run_of(path)
    several = len(found) > 1
    return [Source(f"{path}:{name}" if several else str(path), given, {}, run) for name, given in found.items()]


def _run_of(path: Path) -> Path | None:
    folder = path.resolve().parent
    return folder.parent if folder.name == FOLDER and (folder.parent / FILE).is_file() else None


def by_dimension(sources: Sequence[Source]) -> Iterator[tuple[str, dict[str, Mapping[Key, Value]]]]:
    """Each dimension that two sources or more rated, in the order of their first mention, with who gave what."""
    names = dict.fromkeys(name for source in sources for name in source.ratings)
    for name in names:
        ratings = {source.name: source.ratings[name] for source in sources if name in source.ratings}
        if len(ratings) > 1:
            yield name, ratings
