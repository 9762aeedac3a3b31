"""Writes what an annotator is given: one page to read and answer in, and the same questions as CSV and JSON lines."""

from __future__ import annotations

import csv
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import orjson

from adidem.core.annotation.study import Sheet
from adidem.core.llm.templates import render
from adidem.core.writing import write_whole

FOLDER = Path(__file__).parent
PAGE, CSV, JSONL = "page.html", "sheet.csv", "sheet.jsonl"
COLUMNS = ("sheet", "annotator", "number", "item", "question", "asks", "answers", "answer", "turn")


def write_sheet(sheet: Sheet, folder: Path) -> None:
    """Write the page and both empty sheets into a new folder. None of them says more of an episode than the page
    shows; the sheets hold no text of the conversations, which are read in the page, by number."""
    folder.mkdir(parents=True)
    write_whole(folder / PAGE, page(sheet))
    rows = list(_rows(sheet))
    table = StringIO(newline="")
    writer = csv.DictWriter(table, COLUMNS)
    writer.writeheader()
    writer.writerows({**row, "answers": " | ".join(row["answers"])} for row in rows)
    write_whole(folder / CSV, table.getvalue().encode("utf-8-sig"))  # the mark lets spreadsheets see UTF-8
    write_whole(folder / JSONL, b"".join(orjson.dumps(row) + b"\n" for row in rows))


def _rows(sheet: Sheet) -> Iterator[dict[str, Any]]:
    for number, item in enumerate(sheet.items, 1):
        for question in item.questions:
            yield {
                "sheet": sheet.id,
                "annotator": sheet.annotator,
                "number": number,
                "item": item.id,
                "question": question.name,
                "asks": question.asks,
                "answers": list(question.answers),
                "answer": None,
                "turn": None,
            }


def page(sheet: Sheet) -> str:
    """The page: everything in one file, no request to anywhere, and a policy that lets its own script run alone."""
    from markupsafe import Markup  # for our own two files, and nothing else

    script, style = ((FOLDER / name).read_text(encoding="utf-8") for name in ("page.js", "page.css"))
    return render(
        FOLDER,
        "page.html.j2",
        sheet=sheet,
        script=Markup(script),
        style=Markup(style),
        script_hash=_hash(script),
        style_hash=_hash(style),
    )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
