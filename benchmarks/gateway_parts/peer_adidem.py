"""adidem's whole path at the same work: self-play of the test tasks, ten turns and two records, rules and store.

    python peer_adidem.py API_BASE DIALOGUES CALLS_AT_ONCE [A.B=V...]

The first line is of the play alone, as for the peers; `process_cpu` holds the start, the certificates and all else.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from work import TURNS, Meter

from adidem.core.runs.store import FILE, RunStore
from adidem.core.runs.suite import open_store, prepare, run_jobs
from adidem.core.setup import load


def text_of(folder: Path) -> int:
    """Bytes of what was said, recorded and found, and of the role cards, without any key or bracket."""
    with RunStore(folder) as store:
        size = sum(_text(turn.text, turn.reasoning) for episode in store.episodes() for turn in episode.turns)
        size += sum(_text(*map(str, record.raw.values())) for e in store.episodes() for record in e.records.values())
        size += sum(_text(r.reason) for e in store.episodes() for j in e.judgements for r in j.ratings)
        for scenario in store.scenarios():
            size += _text(scenario.public.story, scenario.public.brief)
            size += _text(*(c.text for c in (*scenario.a, *scenario.b)))
    return size


def _text(*texts: str | None) -> int:
    return sum(len(text.encode()) for text in texts if text)


def main(api_base: str, count: int, at_once: int, sets: list[str]) -> None:
    """Play once and print two lines of JSON."""
    setup = load(overrides=[f"agent.api_base={api_base}", *sets])
    repeats = -(-count // 240)
    suite = setup.suite("hico", partner="self", turns=TURNS, concurrency=at_once, repeats=repeats)
    prepared = prepare(setup, "hico", suite, "openai/stub", limit=min(240, count))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        store, jobs = open_store(prepared, folder, resume=False)
        with store, Meter():
            progress = run_jobs(prepared, store, jobs[:count])
        assert progress.scored == count, progress
        facts = {"store": (folder / FILE).stat().st_size, "text": text_of(folder), "litellm": "litellm" in sys.modules}
    print(json.dumps(facts))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
