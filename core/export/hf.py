"""A folder that `datasets.load_dataset` reads and the Hugging Face hub shows: one Parquet file and its card."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import adidem
from adidem.core.errors import ConfigError
from adidem.core.export.files import whole
from adidem.core.export.parquet import write_parquet
from adidem.core.llm.templates import render
from adidem.core.runs.store import RunStore

CARD, DATA = "README.md", "data/episodes.parquet"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
"""The hub's own steps of sizes."""


def write_folder(store: RunStore, folder: Path) -> int:
    """Write the folder and give back how many episodes are in it.

    Raises:
        ConfigError: pyarrow is not installed, or the folder is there already or cannot be written.
    """
    if folder.exists():
        raise ConfigError(f"{folder} exists; name a new one with --out")
    count = write_parquet(store, folder / DATA)
    with whole(folder / CARD) as part:
        part.write_text(card(store, count), encoding="utf-8")
    return count


def card(store: RunStore, count: int) -> str:
    """The card's text: front matter that the hub reads, then what was played by whom."""
    config = store.get("config", {})
    statuses = Counter(row["status"] for row in store.rows())
    ends = store.success_counts()
    decided = ends.get("yes", 0) + ends.get("no", 0)
    suite = str(config.get("suite", ""))
    evidence = store.evidence()
    return render(
        Path(__file__).parent,
        "card.md.j2",
        title=f"adidem {suite} by {_code(config.get('agent'))}",
        suite=suite,
        split=_split(config),
        count=count,
        size=next((name for most, name in SIZES if count < most), "n>1M"),
        version=adidem.__version__,
        seed=config.get("seed"),
        agent=_code(config.get("agent")),
        partner=_code(config.get("partner")),
        barriers=", ".join(f"`{_code(each)}`" for each in config.get("barriers", ())) or "none",
        judges=", ".join(f"`{_code(each)}`" for each in config.get("judges", ())) or "none",
        scored=statuses["scored"],
        failed=statuses["failed"],
        verified=f"{ends.get('yes', 0)} of {decided}, {ends.get('unscored', 0)} unscored",
        scripted=evidence == "mechanism",
    )


def _split(config: dict[str, Any]) -> str:
    split = str(config.get("split", "test"))
    return split if split in ("train", "test") else "validation"


def _code(value: Any) -> str:
    """A name as it may stand in Markdown code in a table's cell."""
    return " ".join(str(value).replace("`", "'").replace("|", "/").split())
