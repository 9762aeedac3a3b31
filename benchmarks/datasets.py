"""Importers of CaSiNo, MultiWOZ and SOTOPIA episodes: seconds and peak memory for 10,000 dialogues, as a stream and all
held at once; and the measures of the samples (or of the dialogues that ship, where there are none)."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean
from time import perf_counter

from adidem.core.records import read_terms
from adidem.plugins.families import casino, multiwoz, sotopia
from adidem.plugins.families.corpora import stream
from adidem.plugins.families.woz import database, measures
from adidem.plugins.families.woz.dialogues import dialogue_of
from adidem.plugins.judges.negotiation import measured

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CASINO, WOZ = SHARED / "casino" / "casino_valid.json", SHARED / "multiwoz"
EPISODES = SHARED / "socialveil" / "episode_hard.jsonl"
COUNT, MEGABYTES, SECONDS = 10_000, 300, 5.0
READER = """
import sys
from pathlib import Path
from time import perf_counter
from adidem.core.setup import load
family = load().components.get("family", sys.argv[1])
started = perf_counter()
found = family.read(Path(sys.argv[2]))
count = len(list(found)) if sys.argv[3] == "held" else sum(1 for _ in found)
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(count, perf_counter() - started, int(peak.split()[1]) // 1024)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, entries in sources().items():
            file = Path(folder) / f"{name}.json{'l' if name == 'sotopia' else ''}"
            write(file, name, entries)
            for how in ("streamed", "held"):
                count, seconds, peak = read(name, file, how)
                print(
                    f"{name}: {count} dialogues of {file.stat().st_size / 1e6:.0f} MB {how} in {seconds:.1f} s, "
                    f"peak {peak} MB (bound {MEGABYTES} MB)"
                )
            file.unlink()
    measured_samples()


def sources() -> dict[str, list[tuple[str | None, object]]]:
    """The dialogues to multiply: the samples where present, else what ships."""
    paths = {
        "casino": CASINO if CASINO.exists() else casino.OWN,
        "multiwoz": WOZ / "val_20.json" if WOZ.exists() else multiwoz.OWN,
        "sotopia": EPISODES if EPISODES.exists() else sotopia.OWN,
    }
    return {name: [(e.key, e.value) for e in stream.entries(path)] for name, path in paths.items()}


def write(file: Path, name: str, entries: list[tuple[str | None, object]]) -> None:
    """Ten thousand of them in the published layout: a list, an object by id, lines."""
    texts = cycle([json.dumps(value) for _, value in entries])
    keyed = entries[0][0] is not None
    opening, between, closing = {"sotopia": ("", "\n", "\n")}.get(
        name, ("{", ",\n", "}") if keyed else ("[", ",\n", "]")
    )
    with file.open("w") as out:
        out.write(opening)
        for number, text in enumerate(islice(texts, COUNT)):
            out.write((between if number else "") + (f'"D{number}": ' if keyed else "") + text)
        out.write(closing)


def read(name: str, file: Path, how: str) -> tuple[int, float, int]:
    command = [sys.executable, "-P", "-c", READER, name, str(file), how]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    count, seconds, peak = done.stdout.split()
    return int(count), float(seconds), int(peak)


def measured_samples() -> None:
    started = perf_counter()
    family = casino.Casino()
    path = CASINO if CASINO.exists() else casino.OWN
    found = []
    for scenario in family.read(path):
        world = scenario.worlds[0]
        deal = world.public.facts["source"]["deal"]
        terms = None if deal is None else read_terms(casino.Packages, deal, family, world.public)
        found.append(measured(family, world, terms))
    pareto = [each.pareto for each in found if each.pareto is not None]
    print(
        f"casino, people, {len(found)} dialogues of {path.name}: agreement {fmean(e.agreed for e in found):.3f}, "
        f"points {fmean(p for e in found for p in e.worth):.2f} each, "
        f"Nash surplus {fmean(e.surplus for e in found):.3f}, Pareto {fmean(pareto):.3f} of deals"
    )
    databases = database.load(WOZ / "db") if WOZ.exists() else database.load(database.OWN)
    path = WOZ / "val_20.json" if WOZ.exists() else multiwoz.OWN
    talks = [d for d in (dialogue_of(e.key, e.value) for e in stream.entries(path)) if d.turns]
    verdicts = [measures.verdict(d.goal, d.turns, databases) for d in talks]
    spoken = [measures.communication(d.goal, d.turns, databases) for d in talks]
    print(
        f"multiwoz, people, {len(talks)} dialogues of {path.name}: Inform {fmean(v.informed for v in verdicts):.3f}, "
        f"Success {fmean(v.succeeded for v in verdicts):.3f}, communication {fmean(spoken):.3f}"
    )
    print(f"both samples read and measured in {perf_counter() - started:.1f} s (bound {SECONDS:.0f} s)")


if __name__ == "__main__":
    main()
