"""The four-condition SocialVeil suite, offline: seconds over the ten own episodes and over the sample's 28, and the
share of private facts that reach the other in each condition (a mechanism check, nothing about models)."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from time import perf_counter

from adidem.core.runs.store import RunStore
from adidem.core.setup import load

SAMPLE = Path(__file__).resolve().parents[2] / "shared" / "data" / "socialveil"
BOUND = 20.0


def main() -> None:
    sources = {"own ten": ()}
    if SAMPLE.exists():
        sources["sample 28"] = ("--set", f"suites.socialveil.data={SAMPLE}")
    total = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, words) in enumerate(sources.items()):
            out = Path(folder) / str(number)
            seconds = played(out, words)
            total += seconds
            print(f"{name}: {seconds:.1f} s for {episodes(out)} episodes, judged by scripted:judge")
            for condition, share in reached(out).items():
                print(f"  {condition}: {share:.2f} of what the barrier's side tells is heard by the other")
    print(f"in all {total:.1f} s (bound {BOUND:.0f} s)")


def played(out: Path, words: tuple[str, ...]) -> float:
    command = [str(Path(sys.executable).parent / "adidem"), "run", "socialveil", "--judge", "scripted:judge", "--json"]
    started = perf_counter()
    done = subprocess.run([*command, "--out", str(out), *words], check=True, capture_output=True, text=True)
    counts = json.loads(done.stdout.splitlines()[-1])["episodes"]
    assert counts["failed"] == counts["owed"] == 0, counts
    return perf_counter() - started


def episodes(out: Path) -> int:
    with RunStore(out) as store:
        return len(store.scored())


def reached(out: Path) -> dict[str, float]:
    family = load().components.get("family", "sotopia")
    found: dict[str, list[bool]] = defaultdict(list)
    with RunStore(out) as store:
        scenarios = {scenario.id: scenario for scenario in store.scenarios()}
        for episode in store.episodes():
            world = scenarios[episode.scenario].world(episode.world)
            told = [c for c in world.conditions if c.owner != episode.seat and family.tell(c, world.public)]
            theirs = [turn for turn in episode.turns if turn.seat != episode.seat]
            heard = [(f.kind, f.value) for t in theirs for f in family.hear(t.text, world.public, t.seat).facts]
            found[episode.barrier] += [(c.kind, c.value) in heard for c in told]
    return {condition: sum(values) / len(values) for condition, values in found.items()}


if __name__ == "__main__":
    main()
