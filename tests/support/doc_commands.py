"""The commands in the documentation: found in its pages, parsed as the program does, told apart by what they need."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import typer
from attrs import frozen

from adidem.core.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("examples/*/README.md")]
)
GENERATED = ROOT / "docs" / "reference"
BLOCK = re.compile(r"^( *)```[^\n]*\n(.*?)^ *```$|((?:^    [^\n]*\n)+)", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(adidem [^`]+)`")

ELSEWHERE = {"docs/tutorials": "tests/docs/test_tutorials.py", "examples": "tests/kit/test_examples.py"}
"""Pages whose commands another test executes."""

SCRIPTED = ("scripted:",)
READS_RUNS = ("report", "judge", "annotate", "agree", "language", "export", "states")


@frozen
class Command:
    """One command of a page, its words as the program gets them."""

    page: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: adidem {shlex.join(self.words)}"

    @property
    def verb(self) -> str:
        return self.words[0]

    def values(self, option: str) -> list[str]:
        """What stands after an option, each time that it is given."""
        return [after for word, after in zip(self.words, self.words[1:], strict=False) if word == option]


def name_of(page: Path) -> str:
    """A page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def commands(page: Path) -> list[Command]:
    """The commands in a page's blocks of code, `a|b` written out as two, words that are left out (`…`) left out."""
    if page.parent == GENERATED:
        return []
    text = page.read_text(encoding="utf-8")
    found = []
    for _, fenced, indented in BLOCK.findall(text):
        for line in re.sub(r" *\\\n *", " ", fenced or indented).splitlines():
            said = re.match(r" *(?:\$ )?adidem (.*)", line)
            if said is not None:
                found += [Command(name_of(page), words) for words in spelled(said[1])]
    return found


def inline(page: Path) -> list[Command]:
    """The commands in a page's sentences, which may leave out what they need."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    said = [" ".join(each.split()) for each in INLINE.findall(text)]
    return [Command(name_of(page), words) for each in said for words in spelled(each.removeprefix("adidem "))]


def spelled(text: str) -> Iterator[tuple[str, ...]]:
    """The words of a command line without its comment, once for each choice of alternatives."""
    words = [word for word in shlex.split(text, comments=True) if word != "…"]
    choices = [word.split("|") if re.fullmatch(r"\w+(\|\w+)+", word) else [word] for word in words]
    yield from product(*choices)


def found_in(words: Sequence[str]) -> tuple[Any, list[str]]:
    """The command that the words name, a verb or what is below it, and the words after it. Raises UnknownName, or
    AssertionError for what a verb does not have below it."""
    command, rest = typer.main.get_command(app), list(words)
    context = command.context_class(command, info_name="adidem")
    while hasattr(command, "list_commands") and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        below = command.get_command(context, name)
        assert below is not None, f"no {name!r} below {command.name!r}"
        command = below
    return command, rest


def parse(words: Sequence[str]) -> None:
    """Parses a command line as the program does and runs nothing. Raises a UsageError."""
    command, rest = found_in(words)
    command.make_context(command.name, rest)


def options(command: Any) -> set[str]:
    """Every spelling of every option of a command."""
    return {spelling for each in command.params for spelling in (*each.opts, *each.secondary_opts)}


def models(command: Command) -> list[str]:
    """The models, people and weights that a command needs."""
    asked = [value for option in ("--agent", "--partner", "--judge", "--model") for value in command.values(option)]
    asked += [word.partition("@")[2] for word in command.words if re.match(r"\S+:\w+@", word)]
    asked += [word.partition("=")[2] for word in command.words if re.match(r"judges\.\w+\.model=", word)]
    return [spec for spec in asked if spec != "self" and not spec.startswith(SCRIPTED)]


def needs(command: Command) -> str | None:
    """Why a command cannot be executed here, or None."""
    for folder, test in ELSEWHERE.items():
        if command.page.startswith(folder):
            return f"executed by {test}"
    if command.verb == "view":
        return "serves until it is stopped"
    if models(command):
        return f"needs {', '.join(models(command))}"
    if command.verb == "train" and "--dry-run" not in command.words:
        return "trains"
    if command.values("--executor") == ["ray"]:
        return "needs a cluster"
    files = [word for word in command.words[1:] if "=" not in word and word.endswith((".jsonl", ".csv"))]
    if "--import" in command.words or (files and command.verb == "agree"):
        return "needs what people filled in"
    if any("my_lab" in word for word in command.words):
        return "needs a module of the reader's"
    return None


def rehearsed(command: Command) -> Command | None:
    """A run or a training with --dry-run in place of what it would do, where that is possible: weights that are on no
    disk cannot be looked at."""
    if command.verb not in ("run", "train") or needs(command) is None or command.page.startswith(tuple(ELSEWHERE)):
        return None
    if any(spec.startswith("hf:") for spec in (*models(command), *command.words)):
        return None
    words = [word for word in command.words if word not in ("--resume", "--retry-failed", "--dry-run")]
    return Command(command.page, (*words, "--dry-run"))
