"""Patterns: compiled on first use, equal to `re`'s own from then on, and none of them broken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adidem.core.language.cues import load_cues, whole_words
from adidem.core.language.patterns import Pattern, Patterns

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("plugins/**/*.py")])
CUES = sorted(
    file
    for file in [*ROOT.glob("core/language/*.yaml"), *ROOT.glob("plugins/families/hearing/*.yaml")]
    if file.name != "measures.yaml"  # words to count, not cues
)
METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split")


def run_at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs when the module is imported: bodies of functions do not, their defaults do."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (inner for part in (*node.decorator_list, node.args) for inner in ast.walk(part))
        elif not isinstance(node, ast.Lambda):
            yield node
            yield from run_at_import(node)


def compiles(node: ast.AST) -> bool:
    """Whether a node is a call of `re.compile`, or of `compile` imported from it."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("re.compile", "compile")


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_module_compiles_a_pattern_when_it_is_imported(file: Path) -> None:
    """`Pattern` stands in its place: `adidem plugins` imports every family."""
    found = [ast.unparse(node) for node in run_at_import(ast.parse(file.read_text())) if compiles(node)]
    assert not found, f"{file.relative_to(ROOT)} compiles at import; use Pattern: {found}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("X = re.compile('a')", True),
        ("X = {n: re.compile(n) for n in 'ab'}", True),
        ("class A:\n    x = re.compile('a')", True),
        ("def f(x=re.compile('a')): ...", True),
        ("if True:\n    X = (1, re.compile('a'))", True),
        ("def f():\n    return re.compile('a')", False),
        ("f = lambda: re.compile('a')", False),
        ("class A:\n    def f(self):\n        re.compile('a')", False),
    ],
)
def test_what_runs_at_import_is_told_from_what_does_not(text: str, found: bool) -> None:
    """The check above would see one wherever it stood."""
    assert any(map(compiles, run_at_import(ast.parse(text)))) is found


@pytest.mark.parametrize("file", [f for f in FILES if "Pattern(" in f.read_text()], ids=lambda f: f.stem)
def test_every_pattern_of_a_module_compiles(file: Path) -> None:
    """A broken one would otherwise be met by the first user who says such words."""
    name = ".".join(("adidem", *file.relative_to(ROOT).with_suffix("").parts))
    for value in vars(import_module(name)).values():
        if isinstance(value, Pattern):
            value.compiled()


@pytest.mark.parametrize("file", CUES, ids=lambda file: file.stem)
def test_every_cue_is_a_regular_expression(file: Path) -> None:
    """Whatever a module makes of it."""
    cues = load_cues(file.stem, file.parent)
    assert len(cues) == len(list(cues)) > 0
    for cue in cues.values():
        re.compile(whole_words(cue))


def plain(found: object) -> object:
    """A result that can be compared: matches are what they matched and where."""
    if isinstance(found, re.Match):
        return found.span(), found.groups()
    return [plain(one) for one in found] if hasattr(found, "__iter__") and not isinstance(found, str) else found


@given(st.sampled_from(METHODS), st.text("ab1 \n", max_size=12))
def test_the_methods_are_those_of_re_on_first_use_and_later(method: str, text: str) -> None:
    """`Pattern` may stand wherever a compiled pattern stood."""
    ours, theirs = Pattern(r"^(a+)|b\b", re.MULTILINE), re.compile(r"^(a+)|b\b", re.MULTILINE)
    for _ in range(2):
        assert plain(getattr(ours, method)(text)) == plain(getattr(theirs, method)(text))


@given(st.text("ab ", max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_positions_and_replacements_are_those_of_re(text: str, pos: int, endpos: int) -> None:
    """Where a search starts and ends, and how many are replaced."""
    for method in ("search", "match", "fullmatch", "finditer", "findall"):
        ours, theirs = Pattern("(a+)b?"), re.compile("(a+)b?")
        for _ in range(2):
            assert plain(getattr(ours, method)(text, pos, endpos)) == plain(getattr(theirs, method)(text, pos, endpos))
    assert Pattern("a").sub("-", text, pos) == re.compile("a").sub("-", text, pos)
    assert Pattern(" ").split(text, pos) == re.compile(" ").split(text, pos)


def test_text_is_composed_when_first_used_and_only_then() -> None:
    """So cue files are read by the first ear that needs them."""
    asked = []
    pattern = Pattern(lambda: asked.append(1) or "a")
    assert not asked
    assert pattern.search("ba")
    assert pattern.search("ba")
    assert asked == [1]


def test_patterns_by_name_are_made_once() -> None:
    """A name that the cues lack is a KeyError."""
    cues = {"yes": "yes|ok"}
    patterns = Patterns(lambda name: rf"\b(?:{cues[name]})\b")
    assert patterns["yes"] is patterns["yes"]
    assert patterns["yes"].search("that is ok")
    with pytest.raises(KeyError):
        patterns["no"]


def test_a_broken_pattern_says_so_on_first_use() -> None:
    """As `re.compile` would have."""
    with pytest.raises(re.error):
        Pattern("(").search("x")
