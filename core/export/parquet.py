"""Episodes as a Parquet file with typed columns, written in batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adidem.core.errors import ConfigError, to_install
from adidem.core.export.files import whole
from adidem.core.export.rows import Row, row_of
from adidem.core.runs.store import RunStore

if TYPE_CHECKING:
    import pyarrow

BATCH = 500
"""Rows that are in memory at once."""

TEXTS = (
    "task", "scenario", "family", "split", "world", "seat", "barrier", "agent", "partner", "status", "cause", "ended",
    "due", "story", "brief",
)  # fmt: skip


def write_parquet(store: RunStore, path: Path) -> int:
    """Write every episode as a row and give back how many there were.

    Raises:
        ConfigError: pyarrow is not installed, or the file is there already or cannot be written.
    """
    _library()
    import pyarrow as pa
    import pyarrow.parquet as pq

    count, rows, columns = 0, _rows(store), schema()
    # a file that is open already: pyarrow takes no path that is not UTF-8
    with whole(path) as part, part.open("wb") as out, pq.ParquetWriter(out, columns, compression="zstd") as writer:
        while batch := list(islice(rows, BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema=columns))
            count += len(batch)
    return count


def schema() -> pyarrow.Schema:
    """The columns, in the order of `row_of`."""
    import pyarrow as pa

    text, truth = pa.string(), pa.bool_()
    kinds: dict[str, Any] = dict.fromkeys(TEXTS, text)
    kinds |= {"repeat": pa.int64(), "reasons": pa.list_(text)}
    kinds |= dict.fromkeys(("feasibility", "integrity", "verified_success"), truth)
    kinds["turns"] = _list("seat", "name", "action", "text", calls=_list("name", "arguments", "result"))
    kinds["records"] = _list("seat", "outcome", "terms", "raw", "unreadable")
    kinds["ratings"] = _list("judge", "dimension", "seat", "unscored", score=pa.float64())
    return pa.schema(sorted(kinds.items(), key=lambda item: ORDER.index(item[0])))


def _list(*texts: str, **others: Any) -> Any:
    import pyarrow as pa

    return pa.list_(pa.struct([*((name, pa.string()) for name in texts), *others.items()]))


ORDER = (
    "task", "scenario", "family", "split", "world", "seat", "repeat", "barrier", "agent", "partner", "status", "cause",
    "ended", "due", "feasibility", "integrity", "verified_success", "reasons", "story", "brief", "turns", "records",
    "ratings",
)  # fmt: skip


def _rows(store: RunStore) -> Iterator[Row]:
    scenarios = {scenario.id: scenario for scenario in store.scenarios()}
    return (row_of(episode, scenarios.get(episode.scenario)) for episode in store.episodes())


def _library() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"this needs pyarrow: {to_install('export')}") from error
