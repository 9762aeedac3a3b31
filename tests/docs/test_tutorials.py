"""The tutorials are replayed from their own text: every file is written, every edit applied, every command run, and
what it prints compared with what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TUTORIALS = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def edited(text, diff):
    """A text with every hunk of a diff applied, hunks divided by `@@`; each must fit in exactly one place."""
    for hunk in re.split(r"^@@$\n?", diff, flags=re.MULTILINE):
        lines = hunk.rstrip("\n").split("\n")
        before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        places = [found.start() for found in re.finditer(f"^{re.escape(before)}", text, re.MULTILINE)]
        assert len(places) == 1, f"the page's edit does not fit in one place:\n{hunk}"
        text = text[: places[0]] + after + text[places[0] + len(before) :]
    return text


def matches(wanted, said):
    """Whether an output is what the page says: `…` stands for any text, on a line of its own for any lines."""
    lines = wanted.rstrip("\n").split("\n")
    pattern = [r"(?:.*\n)*?" if line == "…" else _line(line) for line in lines]
    return re.fullmatch("".join(pattern), said if said.endswith("\n") else f"{said}\n") is not None


def _line(line):
    return ".*".join(map(re.escape, line.split("…"))) + r"[ ]*\n"


def run(command, folder):
    """A command of the page, in the folder; exit code and what it printed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def console(text):
    """The commands of a block, each with the output that the page gives it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        yield command, wanted


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page, tmp_path):
    blocks = BLOCK.findall(page.read_text())
    assert len(blocks) >= 8
    for language, more, text in blocks:
        title = re.search(r'title="([^"]+)"', more)
        if language == "console":
            code = int((re.search(r"exit=(\d)", more) or ["", 0])[1])
            for command, wanted in console(text):
                returned, said = run(command, tmp_path)
                assert returned == code, f"$ {command}\n{said}"
                assert matches(wanted, said), f"$ {command}\n{said}\n--- the page says:\n{wanted}"
        elif title is not None:
            file = tmp_path / title[1]
            file.write_text(edited(file.read_text(), text) if language == "diff" else text)


def test_an_output_is_compared_and_an_edit_has_one_place():
    assert matches("a\n…\nc…e\n", "a\nb\nb\ncde\n")
    assert not matches("a\nc\n", "a\nb\n")
    assert edited("a\nb\nc\n", " a\n-b\n+x\n@@\n-c\n") == "a\nx\n"
    with pytest.raises(AssertionError, match="does not fit"):
        edited("a\na\n", "-a\n+b\n")
