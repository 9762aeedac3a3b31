"""`adidem annotate`: blinded sheets for people to fill in, and finished sheets back into the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from adidem.core.errors import ConfigError

if TYPE_CHECKING:
    from adidem.core.annotation.finished import SheetProblems

app = typer.Typer(rich_markup_mode=None)

CONFIGURATION = 2


@app.command()
def annotate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")],
    run_b: Annotated[
        Path | None, typer.Argument(metavar="[RUN_B]", help="A second run, to ask which conversation helped more.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="A new folder for sheets and key.")] = None,
    annotators: Annotated[int, typer.Option("--annotators", min=1, max=200, help="Sheets, each in its own order.")] = 1,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Conversations, spread over families and conditions.")
    ] = None,
    ask: Annotated[
        list[str] | None, typer.Option("--ask", metavar="QUESTION", help="Only this one; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draw, the order and left or right.")] = 0,
    sheets: Annotated[
        list[Path] | None, typer.Option("--import", metavar="SHEET", help="A finished sheet; may be repeated.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", metavar="FILE", help="key.json, for --import.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Let --import replace an annotator's file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Write blinded sheets with --out DIR, or read finished ones with --import SHEET --key key.json.

    DIR/annotator-N is what an annotator is given: page.html to read and answer in (it works offline and sends
    nothing), sheet.csv and sheet.jsonl with the same questions. DIR/key.json stays with you. Finished sheets are
    stored as RUN/annotations/NAME.jsonl, for adidem agree.
    """
    from adidem.core.annotation.finished import SheetProblems

    if (out is None) == (not sheets):
        raise ConfigError("give --out DIR to write sheets, or --import SHEET with --key to read finished ones")
    try:
        if out is not None:
            done = _write(run, run_b, out, ask or [], seed=seed, limit=limit, annotators=annotators)
        else:
            done = _import(run, sheets or [], key, replace=replace)
    except SheetProblems as error:
        refuse(error)
    _show(done, as_json=as_json)


def refuse(error: SheetProblems) -> NoReturn:
    """Prints each fault of a sheet on a line of its own; exit code 2."""
    for problem in error.problems:
        typer.echo(f"adidem: {' '.join(problem.split())}", err=True)
    typer.echo("adidem: nothing was taken over", err=True)
    raise typer.Exit(CONFIGURATION)


def _write(run: Path, run_b: Path | None, out: Path, ask: list[str], **options: Any) -> dict[str, Any]:
    from contextlib import ExitStack

    from adidem.core.annotation.key import write_key
    from adidem.core.annotation.questions import chosen
    from adidem.core.annotation.sheet import write_sheet
    from adidem.core.annotation.study import draw
    from adidem.core.runs.store import RunStore
    from adidem.core.writing import must_be_new, whole_folder

    questions = chosen(ask)
    must_be_new(out, folder=True)
    with ExitStack() as stack:
        stores = [stack.enter_context(RunStore(folder)) for folder in (run, run_b) if folder is not None]
        study = draw(stores[0], stores[1] if len(stores) > 1 else None, questions, **options)
    try:
        with whole_folder(out) as part:
            for sheet in study.sheets:
                write_sheet(sheet, part / sheet.annotator)
            write_key(study.key, part / "key.json")
    except OSError as error:
        raise ConfigError(f"{out}: cannot write: {error.strerror}") from error
    kinds = [mark.kind for mark in study.key.items.values()]
    return {
        "conversations": kinds.count("conversation"),
        "pairs": kinds.count("pair"),
        "questions": sum(len(item.questions) for item in study.sheets[0].items),
        "sheets": [str(out / sheet.annotator) for sheet in study.sheets],
        "key": str(out / "key.json"),
    }


def _import(run: Path, sheets: list[Path], key: Path | None, *, replace: bool) -> dict[str, Any]:
    from adidem.core.annotation.imports import check_run, read_annotations, store
    from adidem.core.annotation.key import read_key
    from adidem.core.runs.store import RunStore

    if key is None:
        raise ConfigError("--import needs the key of the study: --key DIR/key.json")
    study = read_key(key)
    with RunStore(run) as open_run:
        check_run(open_run, study)
        found, left_open = read_annotations(sheets, study)
        files = store(open_run, found, replace=replace)
    return {
        "answers": {name: sum(a.annotator == name for a in found) for name in files},
        "open": left_open,
        "files": [str(path) for path in files.values()],
    }


def _show(done: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        import json

        typer.echo(json.dumps(done))
    elif "key" in done:
        what = f"{done['conversations']} conversations, {done['pairs']} pairs, {done['questions']} questions a sheet"
        typer.echo("\n".join([what, *done["sheets"], f"{done['key']} (stays with you)"]))
    else:
        counts = ", ".join(f"{name} {count} answers" for name, count in done["answers"].items())
        typer.echo("\n".join([f"{counts or 'no answers'}; {done['open']} questions left open", *done["files"]]))
