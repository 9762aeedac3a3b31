"""Conversations of a study to be read blind: by people or models who are not to know which configuration held them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from adidem.core.writing import write_whole

READING = 50
"""Conversations of each configuration that are exported."""


def export_reading(out: Path, cells: Mapping[str, Mapping[int, Any]]) -> None:
    """Conversations of each configuration under a code that does not give it away; `key.json` says which is which."""
    folder = out / "reading"
    folder.mkdir(exist_ok=True)
    key = {}
    for label, found in cells.items():
        seed = next(iter(found))
        kind = next(iter(found[seed]["trials"]))
        rows = [row for row in found[seed]["trials"][kind] if row["text"]]
        chosen = Random("reading").sample(rows, min(READING, len(rows)))
        code = sha256(f"{label}/{seed}".encode()).hexdigest()[:6]
        key[code] = {"configuration": label, "seed": seed, "trial": kind}
        texts = [f"## {number}\n\n" + "\n".join(row["text"]) for number, row in enumerate(chosen, 1)]
        write_whole(folder / f"{code}.md", f"# {code}\n\n" + "\n\n".join(texts) + "\n")
    write_whole(folder / "key.json", json.dumps(key, indent=1))
