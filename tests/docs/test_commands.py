"""Every command in the documentation is one: parsed by the program, rehearsed where it needs a model, or executed."""

import json
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adidem.core.cli.main import USAGE, app
from adidem.core.errors import AdidemError
from doc_commands import (
    PAGES,
    READS_RUNS,
    ROOT,
    Command,
    commands,
    found_in,
    inline,
    name_of,
    needs,
    options,
    parse,
    rehearsed,
)

WITH_COMMANDS = [page for page in PAGES if commands(page)]
OWN = ROOT / "plugins" / "families"
STANDS_FOR = {
    "RUN": "runs/any",
    "MODEL": "scripted:candid",
    "KIND": "family",
    "NAME": "some_name",
    "PATH": OWN / "sotopia.jsonl",
    "NAME:SEVERITY": "semantic_vagueness:0.7",
    "NAME:0.7": "semantic_vagueness:0.7",
}
"""What the reader's own words are taken for, where a command is executed."""

THEIRS = {
    "data=PATH": OWN / "sotopia.jsonl",
    "data=/data/episodes": OWN / "sotopia.jsonl",
    "data=episodes": OWN / "sotopia.jsonl",
    "data=episodes.jsonl": OWN / "sotopia.jsonl",
    "data=casino_test.json": OWN / "casino.jsonl",
    "data=MultiWOZ_2.1": OWN / "multiwoz.jsonl",
}
"""The reader's own data in a setting."""


def filled_in(command):
    """A command with a stand-in for whatever is the reader's own."""
    rating = [before == "--judge" or word.endswith(".model=MODEL") for before, word in pairwise(("", *command.words))]
    words = [
        word.replace("MODEL", "scripted:judge") if rates else str(STANDS_FOR.get(word, word))
        for word, rates in zip(command.words, rating, strict=True)
    ]
    for said, file in THEIRS.items():
        words = [f"{word.removesuffix(said)}data={file}" if word.endswith(said) else word for word in words]
    return Command(command.page, tuple(words))


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_every_command_is_parsed(page):
    """Its verb, its options and the values that have a type or a range are those of the program."""
    for command in commands(page):
        try:
            parse(command.words)
        except (AdidemError, AssertionError, USAGE) as error:
            pytest.fail(f"{command}\n{error}")


@pytest.mark.parametrize("page", [page for page in PAGES if inline(page)], ids=name_of)
def test_every_command_in_a_sentence_is_known(page):
    """A sentence may leave out what a command needs, and names no verb and no option that there is not."""
    for command in inline(page):
        found, rest = found_in(command.words)
        unknown = {word for word in rest if word.startswith("--")} - options(found) - {"--help"}
        assert not unknown, f"{command}: no {', '.join(sorted(unknown))}"


def test_a_command_that_is_none_is_found_out():
    """The checks above can fail."""
    for words in (("run", "hico", "--agnet", "x"), ("run", "hico", "--limit", "0"), ("report",), ("cache", "drop")):
        with pytest.raises((AssertionError, USAGE)):
            parse(words)


def test_most_commands_are_executed_or_rehearsed():
    """What is only parsed has a reason that is known here."""
    every = [command for page in PAGES for command in commands(page)]
    assert len(every) > 80
    for command in every:
        reason = needs(command)
        assert reason is None or re.match("executed by|serves|needs|trains", reason)
    verbs = {command.verb for command in every if needs(command) is None}
    assert {"run", "report", "scenarios", "plugins", "new", "check-plugin", "language", "neutralize"} <= verbs


class Place:
    """An empty working directory with the recipes of the repository, a small run wherever a page speaks of one, and a
    component from `adidem new` wherever it speaks of `my_KIND.py`."""

    def __init__(self, folder: Path, run: Path):
        self.folder, self.stored = folder, run
        (folder / "recipes").symlink_to(ROOT / "recipes")
        ids = [json.loads(line)["id"] for line in (OWN / "multiwoz.jsonl").read_text().splitlines()]
        (folder / "testListFile.txt").write_text("\n".join(ids[:2]))

    def execute(self, command):
        if command.verb in READS_RUNS:
            self.provide(word.partition(":")[0] for word in command.words[1:])
        for word in command.words:
            if word.endswith(".py") and not (self.folder / word).exists():
                kind, name = word.removesuffix(".py").split("_", 1)[-1], word.removesuffix(".py")
                kind = {"warmth": "judge"}.get(kind, kind)
                assert CliRunner().invoke(app, ["new", kind, name]).exit_code == 0, word
        registry = self.folder / "registry.yaml"
        if "lab" in command.words:  # the reader's own suite, in docs/judges.md
            seats = "judges" if any(".model=" in word for word in command.words) else "model_judges"
            registry.write_text(f"suites: {{lab: {{families: [bounded_quantities], {seats}: [warmth]}}}}\n")
        else:
            registry.unlink(missing_ok=True)
        result = CliRunner().invoke(app, list(command.words))
        said = result.stdout + result.stderr
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise AssertionError(f"{command}\n{said}") from result.exception
        assert result.exit_code == 0, f"{command}\n{said}"
        return said

    def provide(self, words):
        for word in words:
            place = self.folder / word
            if word.startswith("runs/") and not place.exists():
                shutil.copytree(self.stored, place)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A small run of scripted agents."""
    place = tmp_path_factory.mktemp("stored") / "run"
    words = ["run", "hico", "--limit", "24", "--judge", "scripted:judge", "--out", str(place), "--quiet"]
    assert CliRunner().invoke(app, words).exit_code == 0
    return place


@pytest.fixture
def place(stored, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "HOSTED_VLLM_API_KEY"):
        monkeypatch.setenv(name, "none")
    return Place(tmp_path, stored)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
def test_the_commands_of_a_page_work(page, place):
    """Those that need no model are executed, in the order of the page; a run or a training that needs one is
    rehearsed: everything is checked, and nothing played."""
    for command in map(filled_in, commands(page)):
        if needs(command) is None:
            place.execute(command)
        elif (instead := rehearsed(command)) is not None:
            place.execute(instead)
