"""Prints what `adidem view` costs on a run of 100,000 episodes: the index once, then every kind of page.

    .venv/bin/python benchmarks/viewer.py [EPISODES | RUN]

The run is 720 scripted episodes of three conditions, repeated. Each page is asked of the whole app, guard and templates
included, without a socket; its time stands beside its bound, and beside one indexed query of SQLite: the same fifty
rows out of the run's own file, by its own index.
"""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time, sleep
from typing import Any
from urllib.parse import urlencode

from adidem.core.rules import Rules
from adidem.core.runs.store import COLUMNS, FILE
from adidem.core.setup import load
from adidem.core.web.app import Viewer, build
from adidem.core.web.folders import Runs
from adidem.core.web.guard import Access
from adidem.core.web.index import Index

EPISODES = 100_000
BOUND = 300
ROUNDS = 5
DEEP = '["set_consent/test/05/a/first","none",60]'
TABLES = {
    "first page": {},
    "family": {"family": "set_consent"},
    "barrier": {"barrier": "semantic_vagueness:0.7"},
    "world and result": {"world": "b", "success": "no"},
    "cause of failure": {"why": "outcome:outcome"},
    "outcome that differs from the right one": {"outcome": "agree", "due": "decline"},
    "everything at once, nothing fits": {
        "family": "authorization",
        "world": "a",
        "why": "mismatch:quantity",
        "q": "you",
    },
    "a word that most conversations have": {"q": "you"},
    "a word that few have": {"q": "hives"},
    "a phrase": {"q": '"what about"'},
    "the beginning of a word": {"q": "a*"},
    "word, family, result": {"q": "work", "family": "joint_scheduling", "success": "yes"},
    "a page from the middle": {"after": DEEP},
    "the page before it": {"before": DEEP},
    "slowest first": {"order": "slowest"},
    "newest first, filtered": {"order": "newest", "success": "no"},
}


def line(what: str, figure: str, bound: str) -> None:
    """One figure with its bound."""
    print(f"{what:<58} {figure:>30}   bound: {bound}")


def played(folder: Path, episodes: int) -> Path:
    """A run of so many episodes: scripted ones, copied under further repeats."""
    run = folder / "big"
    words = ["run", "hico", "--agent", "scripted:agreeable", "--barrier", "semantic_vagueness"]
    words += ["--barrier", "emotional_interference", "--out", str(run)]
    subprocess.run([sys.executable, "-m", "adidem", *words], check=True, capture_output=True)
    with sqlite3.connect(run / FILE) as db:
        names = [*(name for name in COLUMNS if name != "repeat"), "times", "extra", "data"]
        count = db.execute("SELECT count(*) FROM episodes").fetchone()[0]
        for repeat in range(1, -(-episodes // count)):
            left = min(count, episodes - repeat * count)
            query = f"INSERT INTO episodes (repeat, {', '.join(names)}) SELECT ?, {', '.join(names)} FROM episodes"
            db.execute(f"{query} WHERE repeat = 0 ORDER BY id LIMIT ?", (repeat, left))
        db.execute("INSERT OR REPLACE INTO meta VALUES ('planned', ?)", (str(episodes),))
    return run


def asking(viewer: Viewer) -> Callable[[str, dict[str, Any]], int]:
    """`ask(path, query)`: the bytes of the answer."""
    app = build(viewer, Access.to("127.0.0.1", 1, None))

    async def ask(path: str, query: dict[str, Any]) -> int:
        sent = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": urlencode(query).encode(),
            "headers": [(b"host", b"127.0.0.1")],
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", 1),
            "client": ("127.0.0.1", 2),
            "root_path": "",
        }
        await app(scope, receive, send)
        assert sent[0]["status"] == 200, sent
        return sum(len(message.get("body", b"")) for message in sent[1:])

    loop = asyncio.new_event_loop()
    return lambda path, query: loop.run_until_complete(ask(path, query))


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    """The medians of some rounds, in milliseconds: on the clock, and of the processor alone, which a shared machine
    changes less. The first round is not counted."""
    call()
    clock, processor = [], []
    for _ in range(ROUNDS):
        started, used = perf_counter(), process_time()
        call()
        clock.append(1000 * (perf_counter() - started))
        processor.append(1000 * (process_time() - used))
    return median(clock), median(processor)


def told(times: tuple[float, float], unit: tuple[float, float]) -> str:
    """The time, what the processor had of it, and that as a ratio to the unit."""
    return f"{times[0]:.0f} ms (cpu {times[1]:.0f} = {times[1] / unit[1]:,.0f} ×)"


def indexing(ask: Callable[[str, dict[str, Any]], int], index: Index, name: str) -> None:
    """The first page of a run that nobody has looked at, and the index that it begins."""
    index.path.unlink(missing_ok=True)
    started, used = perf_counter(), process_time()
    ask("/episodes", {"run": name})
    first = f"{1000 * (perf_counter() - started):.0f} ms (cpu {1000 * (process_time() - used):.0f})"
    line("the very first page, before there is an index", first, f"< {BOUND} ms")
    while not (extent := index.refresh(1.0)).whole:
        sleep(0.2)
    seconds, cpu = perf_counter() - started, process_time() - used
    line(f"index of {extent.total:,} episodes, once", f"{seconds:.0f} s (cpu {cpu:.0f} s)", "in the background")
    size, run = index.path.stat().st_size, (index.folder / FILE).stat().st_size
    line("  its size", f"{size / 1e6:.0f} MB", f"{100 * size / run:.0f} % of the run")


def asking_for_pages(ask: Callable[[str, dict[str, Any]], int], run: Path) -> None:
    """Every kind of page, beside one query."""
    name = run.resolve().name
    with sqlite3.connect(run / FILE) as db:
        query = f"SELECT {', '.join(COLUMNS)} FROM episodes ORDER BY task, barrier, repeat LIMIT 50"
        unit = timed(lambda: db.execute(query).fetchall())
    line("one indexed query of SQLite: fifty rows", f"cpu {unit[1]:.3f} ms", "the unit of the ratios")
    for what, filters in TABLES.items():
        took = timed(lambda filters=filters: ask("/episodes", {"run": name, **filters}))
        line(what, told(took, unit), f"< {BOUND} ms")
    episode = {"run": name, "task": "shared_resource_scheduling/test/05/b/second", "condition": "none"}
    line("an episode and its pair", told(timed(lambda: ask("/episode", episode)), unit), f"< {BOUND} ms")
    took = timed(lambda: ask("/episode", {**episode, "q": "you"}))
    line("the same, found by a search", told(took, unit), f"< {BOUND} ms")
    line("/live, what an open page asks", told(timed(lambda: ask("/live", {"run": name})), unit), "every 1.5 s")


def main() -> None:
    """Make the run, or take the one that is given; index it, ask for every page."""
    given = sys.argv[1] if len(sys.argv) > 1 else str(EPISODES)
    with tempfile.TemporaryDirectory() as folder:
        run = played(Path(folder), int(given)) if given.isdigit() else Path(given)
        components = load().components
        rules = {family: Rules(thing, components.checkers_for(family)) for family, thing in components.families.items()}
        viewer = Viewer(Runs(run), rules)
        ask = asking(viewer)
        indexing(ask, viewer.index(run), run.resolve().name)
        asking_for_pages(ask, run)


if __name__ == "__main__":
    main()
