"""The main job, as `make run` does it: three scripted agents over all 240 test tasks, then a small real model.

Without the model: `make run MODEL=`.

Every line it prints comes from the ordinary command line: `adidem run` and `adidem report`. The runs stay under
`runs/`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from time import perf_counter

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

SCRIPTED = ("scripted:candid", "scripted:guarded", "scripted:agreeable")
MODEL_TASKS = 24
HEADLINES = ("feasibility", "integrity", "verified_success")
ADIDEM = [sys.executable, "-m", "adidem"]


def play(folder: Path, agent: str, *more: str) -> tuple[dict, float]:
    """Run the suite with one agent; the JSON that `run --json` ends with, and the seconds it took."""
    started = perf_counter()
    command = [*ADIDEM, "run", "hico", "--agent", agent, "--out", str(folder), "--json", *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"main job: {' '.join(command[2:])} ended with exit code {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1]), perf_counter() - started


def cell(metric: dict) -> str:
    """A share in per cent with its interval."""
    if metric["value"] is None:
        return "unscored"
    text = "100" if metric["value"] == 1 else f"{100 * metric['value']:.1f}"
    if metric["ci_low"] is not None:
        text += f" [{100 * metric['ci_low']:.0f}–{100 * metric['ci_high']:.0f}]"
    return text + (f" ({metric['unscored']} unscored)" if metric["unscored"] else "")


def place(folder: Path, agent: str) -> Path:
    """Where the run of an agent lies."""
    return folder / re.sub(r"[^\w.]+", "-", agent)


def hints(folder: Path, page: Path) -> list[str]:
    """What to do next."""
    return [
        f"\nruns: {folder}",
        f"report: {page} (open it in a browser)",
        "read the conversations: .venv/bin/adidem view runs",
        "next: your own model, for example",
        "  .venv/bin/adidem run hico --agent openai/gpt-5-mini --limit 24",
        "  .venv/bin/adidem run hico --agent openai/NAME --api-base http://localhost:8000/v1",
    ]


def main(model: str | None) -> None:
    """Play, then show one table."""
    console = Console()
    folder = Path("runs") / datetime.now().astimezone().strftime("main-%Y%m%d-%H%M%S")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for title in ("agent", "tasks", "Feasibility", "Integrity", "Verified", "s"):
        table.add_column(title, justify="left" if title == "agent" else "right", no_wrap=True)
    jobs = [(agent, ()) for agent in SCRIPTED]
    if model:
        jobs.append((model, ("--limit", str(MODEL_TASKS), "--concurrency", "4")))
    for agent, more in jobs:
        long = ": about four minutes on two quiet cores, more on a busy machine" if agent == model else ""
        console.print(f"playing hico with {agent} …{long}", style="dim", soft_wrap=True)
        result, seconds = play(place(folder, agent), agent, *more)
        counts, metrics = result["episodes"], result["metrics"]
        tasks = f"{counts['scored']}" + (f" + {counts['failed']} failed" if counts["failed"] else "")
        table.add_row(agent, tasks, *(cell(metrics[name]) for name in HEADLINES), f"{seconds:.1f}")
    console.print(table)
    console.print("partner: scripted:candid. Per cent; in brackets 95 % intervals, bootstrap clustered by scenario.")
    console.print("evidence: mechanism. Scripted agents prove the wiring, and the rules judged Integrity.\n")
    if model:
        console.print("the small model, family by family:")
        subprocess.run([*ADIDEM, "report", str(place(folder, model))], check=True)
    page = folder / "report.html"
    runs = [str(place(folder, agent)) for agent, _ in jobs]
    report = [*ADIDEM, "report", *runs, "--format", "html", "--out", str(page)]
    subprocess.run(report, check=True, stdout=subprocess.DEVNULL)
    for line in hints(folder, page):
        print(line)  # as it is: a command that is broken in two cannot be copied


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
