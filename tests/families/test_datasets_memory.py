"""Ten thousand dialogues are read, and held as scenarios, in less than 300 MB."""

import json
import subprocess
import sys
from itertools import cycle, islice

import pytest

from adidem.plugins.families import casino, multiwoz

READER = """
import sys
from pathlib import Path
from adidem.core.setup import load
found = list(load().components.get("family", sys.argv[1]).read(Path(sys.argv[2])))
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(len(found), int(peak.split()[1]) // 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("family", "own"), [("casino", casino.OWN), ("multiwoz", multiwoz.OWN)])
def test_ten_thousand_dialogues_take_less_than_300_mb(tmp_path, family, own):
    lines = cycle(own.read_text().splitlines())
    padding = {"more": "x" * 10_000}  # as long as the published ones are
    with (tmp_path / "many.json").open("w") as out:
        out.write("[")
        for number, line in enumerate(islice(lines, 10_000)):
            entry = {**json.loads(line), **padding}
            entry[next(key for key in ("dialogue_id", "id") if key in entry)] = str(number)
            out.write((",\n" if number else "") + json.dumps(entry))
        out.write("]")
    command = [sys.executable, "-P", "-c", READER, family, str(tmp_path / "many.json")]
    count, peak = map(int, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    assert count == 10_000
    assert peak < 300, f"{peak} MB"
