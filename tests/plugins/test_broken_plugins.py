"""A broken plugin is left out and named with its file and the cause; the rest works."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from adidem.core.components import Problem
from adidem.core.errors import ConfigError
from adidem.core.setup import Setup

Load = Callable[..., Setup]
Write = Callable[[str, str], Path]

WHOLE = {
    "does not import": ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'", ":1)"),
    "raises while importing": ("\n\nraise RuntimeError('out of\\nluck')\n", "RuntimeError: out of luck", ":3)"),
    "exits while importing": ("import sys\nsys.exit(3)\n", "SystemExit: 3", ":2)"),
    "is not Python": ("def (:\n", "SyntaxError", ":1)"),
    "holds a null byte": ("x = '\0'\n", "null byte", ""),
    "has no hook": ("x = 1\n", "it has no hook", ""),
    "misspelt, not marked": (
        "def adidem_register_familys(register): ...\n",
        "unknown hook 'adidem_register_familys': did you mean 'adidem_register_families'",
        "line 1",
    ),
    "misspelt, marked": (
        "import adidem\n@adidem.hookimpl\ndef adidem_register_judge(register): ...\n",
        "unknown hook 'adidem_register_judge': did you mean 'adidem_register_judges'",
        "line 2",
    ),
    "marked under another name": (
        "import adidem\n@adidem.hookimpl\ndef register_judges(register): ...\n",
        "unknown hook 'register_judges': did you mean 'adidem_register_judges'",
        "line 2",
    ),
    "a hook that is not marked": (
        "def adidem_register_judges(register): ...\n",
        "adidem_register_judges (line 1) is not marked @adidem.hookimpl",
        "",
    ),
    "takes nothing": (
        "import adidem\n@adidem.hookimpl\ndef adidem_register_judges(): ...\n",
        "has a wrong signature: it must be adidem_register_judges(register)",
        "line 2",
    ),
    "takes too much": (
        "import adidem\n@adidem.hookimpl\ndef adidem_register_judges(register, config): ...\n",
        "config",
        "adidem_register_judges",
    ),
    "is async": (
        "import adidem\n@adidem.hookimpl\nasync def adidem_register_judges(register): ...\n",
        "must be a plain function",
        "line 2",
    ),
    "returns something": (
        "import adidem\n@adidem.hookimpl\ndef adidem_register_judges(register): return [1]\n",
        "adidem_register_judges must return nothing, not list",
        "",
    ),
    "yields": (
        "import adidem\n@adidem.hookimpl\ndef adidem_register_judges(register): yield 1\n",
        "adidem_register_judges must return nothing, not generator",
        "",
    ),
}


@pytest.mark.parametrize("case", WHOLE)
def test_a_broken_plugin_is_left_out_and_the_rest_works(case: str, toy: Path, write: Write, load_only: Load) -> None:
    """The plugin is named by its file with the cause; the toy beside it is loaded, whichever comes first."""
    text, *wanted = WHOLE[case]
    before, after = write("before.py", text), write("after.py", text)
    for files in ((before, toy), (toy, after)):
        setup = load_only(*files)
        (problem,) = setup.problems
        assert problem.kind == "plugin"
        assert str(toy.parent) in str(problem)
        for part in wanted:
            assert part in problem.cause
        assert list(setup.components.families) == ["toy"]


@pytest.mark.parametrize("case", WHOLE)
def test_strict_refuses_a_broken_plugin(case: str, toy: Path, write: Write, load_only: Load) -> None:
    """--strict-plugins makes the same fault an error on one line."""
    with pytest.raises(ConfigError) as caught:
        load_only(toy, write("bad.py", WHOLE[case][0]), strict=True)
    assert "bad.py" in str(caught.value)
    assert "\n" not in str(caught.value)


ILL_FORMED = {
    "no method": (
        "judge",
        '    async def judge(self, case, ask): return Judgement("nod", ())\n',
        "",
        "lacks the method `judge`",
    ),
    "sync judge": ("judge", "async def judge", "def judge", "Nod.judge must be `async def`"),
    "wrong signature": (
        "checker",
        "check(self, world, terms)",
        "check(self, world)",
        "cannot be called as check(world, terms)",
    ),
    "wrong signature of a class": (
        "trainer",
        "credit(self, rollouts)",
        "credit(self)",
        "cannot be called as credit(rollouts)",
    ),
    "no name": (
        "judge",
        'name: ClassVar[str] = "nod"',
        "label: ClassVar[str] = 'nod'",
        "Nod has no `name` that is text",
    ),
    "a name that is no text": ("checker", 'name = "toy"', "name = 7", "ToyRules has no `name` that is text: 7"),
    "a name with a colon": ("barrier", '"mumble"', '"mum:ble"', "Mumble may not be named 'mum:ble'"),
    "a reserved name": ("barrier", '"mumble"', '"none"', "Mumble may not be named 'none'"),
    "no dimensions": ("judge", "    dimensions: ", "    scales: ", "Nod lacks the member `dimensions`"),
    "dimensions of another type": ("judge", '(Dimension("nods", 0, 10),)', '("nods",)', "which is no Dimension"),
    "an empty range": ("judge", "0, 10", "10, 10", "dimension 'nods' has an empty range"),
    "families that are text": ("checker", '("toy",)', '"toy"', "`families` must be a collection of names or None"),
    "terms that are no class": (
        "family",
        "ClassVar[type] = Terms",
        "ClassVar[dict] = {}",
        "`terms` must be an attrs class",
    ),
    "sampling of another type": ("trainer", 'Sampling("groups")', '"groups"', "`sampling` must be a Sampling"),
    "raises when made": (
        "trainer",
        "    def credit",
        "    def __attrs_post_init__(self): 1 / 0\n    def credit",
        "ZeroDivisionError",
    ),
    "an option without default": (
        "trainer",
        "default=0.25, ",
        "",
        "needs the option 'within': set trainers.flat.within",
    ),
}


@pytest.mark.parametrize("case", ILL_FORMED)
def test_an_ill_formed_component_is_left_out(
    case: str, parts: dict[str, str], header: str, write: Write, load_only: Load
) -> None:
    """Only that component is left out, named with its file, class and what is wrong; its plugin's others stay."""
    kind, old, new, wanted = ILL_FORMED[case]
    assert old in parts[kind]
    broken = {**parts, kind: parts[kind].replace(old, new)}
    setup = load_only(write("toy.py", header + "".join(broken.values())))
    (problem,) = setup.problems
    assert problem.kind == kind
    assert wanted in problem.cause
    assert "toy.py" in str(problem)
    assert {item.kind.name for item in setup.components.registered} == set(parts) - {kind}


def test_a_hook_that_raises_takes_its_own_registrations_with_it(
    parts: dict[str, str], header: str, write: Write, load_only: Load
) -> None:
    """What that call had registered is dropped; what the plugin's other hooks registered stays."""
    broken = parts["judge"].replace("register(Nod)", "register(Nod); raise KeyError('half way')")
    setup = load_only(write("toy.py", header + parts["trainer"] + broken))
    (problem,) = setup.problems
    assert problem.cause.startswith("adidem_register_judges raised KeyError: 'half way' (")
    assert not setup.components.judges
    assert list(setup.components.trainers) == ["flat"]


def test_of_two_components_of_one_name_the_later_is_left_out(toy: Path, write: Write, load_only: Load) -> None:
    """The first stays; the problem tells both origins."""
    again = write("again.py", toy.read_text().replace("= 9", "= 8").replace('"flat"', '"steep"'))
    setup = load_only(toy, again)
    assert [(p.kind, p.name) for p in setup.problems] == [
        ("family", "toy"),
        ("checker", "toy"),
        ("barrier", "mumble"),
        ("judge", "nod"),
    ]
    assert all(str(toy) in str(p) and str(again) in str(p) for p in setup.problems)
    assert set(setup.components.trainers) == {"flat", "steep"}


def test_the_same_file_twice_is_one_plugin(toy: Path, load_only: Load) -> None:
    """Giving a plugin twice is no clash with itself."""
    assert load_only(toy, toy.parent / "." / "toy.py").problems == ()


@pytest.mark.parametrize("name", ["absent.py", "."])
def test_a_file_that_cannot_be_read_is_an_error(name: str, tmp_path: Path, load_only: Load) -> None:
    """A path that holds no readable file is a mistake of the command line, contained or not."""
    with pytest.raises(ConfigError, match=r"--plugin .*cannot be read: "):
        load_only(tmp_path / name)


def test_a_file_that_is_no_python_file_is_named(write: Write, load_only: Load) -> None:
    """A readable file of another kind is a broken plugin."""
    (problem,) = load_only(write("toy.txt", "x = 1")).problems
    assert "its name must end in .py" in problem.cause


def test_an_unknown_component_names_the_plugins_that_are_broken(toy: Path, write: Write, load_only: Load) -> None:
    """Whoever asks for what a broken plugin would have held is told of it."""
    components = load_only(toy, write("bad.py", "import no_such_module")).components
    with pytest.raises(ConfigError, match=r"unknown family 'tyo': did you mean 'toy'.*bad\.py"):
        components.get("family", "tyo")


def test_an_ill_formed_component_says_why_when_asked_for(
    parts: dict[str, str], header: str, write: Write, load_only: Load
) -> None:
    """Asking for a component that was left out tells the cause, not that it is unknown."""
    broken = parts["judge"].replace("async def", "def")
    components = load_only(write("toy.py", header + broken)).components
    with pytest.raises(ConfigError, match="must be `async def`"):
        components.get("judge", "nod")


def test_problems_are_rows_of_the_table(toy: Path, write: Write, load_only: Load) -> None:
    """Every problem is described as broken, with its file, beside what works."""
    bad = write("bad.py", "import no_such_module")
    rows = load_only(toy, bad).components.describe()
    assert [(row["kind"], row["status"]) for row in rows] == [
        ("family", "ok"),
        ("checker", "ok"),
        ("barrier", "ok"),
        ("judge", "ok"),
        ("trainer", "ok"),
        ("plugin", "broken"),
    ]
    assert rows[-1]["origin"] == f"--plugin {bad}"
    assert f"{bad}:1" in str(rows[-1]["error"])


def test_an_entry_that_a_broken_plugin_may_have_held_is_missing_not_an_error(write: Write, load_only: Load) -> None:
    """The registry's options for a broken plugin's component do not stop the rest; strict names them."""
    bad = write("bad.py", "import no_such_module")
    setup = load_only(bad, registry="judges: {nod: {}}")
    assert [row["status"] for row in setup.components.describe()] == ["broken", "missing"]
    with pytest.raises(ConfigError, match=r"no_such_module.*and 1 more"):
        load_only(bad, registry="judges: {nod: {}}", strict=True)


def test_a_problem_reads_as_one_line(toy: Path, write: Write, load_only: Load) -> None:
    """Whatever a plugin raises, its line stays a line and not a long one."""
    bad = write("bad.py", f"raise ValueError('a\\nb' + 'x' * 5000){os.linesep}")
    (problem,) = load_only(toy, bad).problems
    assert isinstance(problem, Problem)
    assert "\n" not in str(problem)
    assert len(problem.cause) < 1000
