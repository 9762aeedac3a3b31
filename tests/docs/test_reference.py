"""The generated pages are what the program says now, and what they show is what the program prints."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from adidem.core import hookspecs
from adidem.core.cli.main import VERBS, app
from adidem.core.kinds import KINDS
from doc_commands import ROOT


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(generate):
    return generate.pages()


@pytest.mark.parametrize("name", ["hooks.md", "components.md", "cli.md"])
def test_a_page_is_what_would_be_written_now(pages, generate, name):
    """Else: `python docs/generate.py`."""
    assert (generate.FOLDER / name).read_text(encoding="utf-8") == pages[name], "run python docs/generate.py"


def test_every_verb_has_its_help(pages):
    shown = re.findall(r"^## adidem ([\w-]+)$", pages["cli.md"], re.MULTILINE)
    assert shown == [verb for verb in VERBS if verb in shown]
    assert set(shown) == {line.split()[0] for line in _verbs()}


def _verbs():
    said = CliRunner().invoke(app, ["--help"]).stdout.partition("Verbs:\n")[2]
    return [line for line in said.splitlines() if re.match(r"  \w", line)]


@pytest.mark.parametrize("words", [("run",), ("scenarios", "show")], ids=" ".join)
def test_the_help_is_what_the_program_prints(pages, words):
    """On a terminal of 80 columns."""
    command = [sys.executable, "-m", "adidem", *words, "--help"]
    env = {**os.environ, "COLUMNS": "80"}
    said = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert f"## adidem {' '.join(words)}\n\n```text\n{said.strip()}\n```" in pages["cli.md"]


def test_every_hook_stands_with_its_contract(pages):
    hooks = [name for name in vars(hookspecs) if name.startswith("adidem_register_")]
    assert re.findall(r"^## (\w+)$", pages["hooks.md"], re.MULTILINE) == hooks
    assert re.findall(r"^### (\w+)$", pages["hooks.md"], re.MULTILINE) == [kind.contract.__name__ for kind in KINDS]


def test_every_builtin_component_has_a_section(pages, generate):
    shown = re.findall(r"^### (\w+)$", pages["components.md"], re.MULTILINE)
    registered = generate.load(ROOT / "registry.yaml").components.registered
    built_in = [item.name for item in registered if item.kind.name != "checker" and item.origin.how == "builtin"]
    assert sorted(shown) == sorted(built_in)
