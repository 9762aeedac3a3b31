"""`adidem new`: what it writes keeps its laws as it is, and leads to the first edit."""

import ast
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
import yaml

from adidem.core import domain
from adidem.core.kinds import KINDS
from adidem.testing import assert_laws

KIND_NAMES = [kind.name for kind in KINDS]


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_a_file_as_generated_keeps_every_law(cli, kind):
    said = cli("new", kind, f"my_{kind}_2").stdout
    assert said.splitlines()[0] == f"edit    my_{kind}_2.py"
    assert_laws(f"my_{kind}_2.py", examples=30)


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_its_comments_lead_to_the_first_edit(cli, tmp_path, kind):
    cli("new", kind, "mine")
    text = (tmp_path / "mine.py").read_text()
    assert text.count("# 1. YOUR FIRST EDIT:") == 1
    assert "adidem check-plugin mine.py" in text
    assert all(len(line) <= 120 for line in text.splitlines())
    ast.parse(text)


def test_the_values_in_the_comment_on_types_are_of_those_types(cli, tmp_path):
    """Each as the comment writes it, told apart from what is called."""
    cli("new", "family", "market")
    shown = re.findall(r"^#  +\w+: (\w+)\S* {2,}(.+?)(?: or 12\.5|, a |$)", (tmp_path / "market.py").read_text(), re.M)
    called = {"Text": domain.Text, "Time": domain.Time}
    made = {kind: type(eval(value, called)) for kind, value in shown}  # noqa: S307  our own template
    assert made == {"Text": str, "Time": str, "Amount": int, "Items": tuple, "ByRole": dict}


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_what_is_generated_is_clean(cli, tmp_path, kind):
    """Formatted and linted; adidem is somebody else's package there."""
    cli("new", kind, "some_of_mine", "--package")
    here = tmp_path / "adidem-some-of-mine"
    for words in (
        ["format", "--check", "--line-length", "120"],
        ["check", "--line-length", "120", "--select", "E,F,I,B,UP"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--isolated", str(here)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_what_is_generated_is_typed(cli, tmp_path):
    for kind in KIND_NAMES:
        cli("new", kind, f"my_{kind}")
    files = sorted(map(str, tmp_path.glob("my_*.py")))
    words = ["-m", "mypy", "--strict", "--follow-imports=silent", "--config-file", "", *files]
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_package_is_complete(cli, tmp_path):
    said = cli("new", "barrier", "small_voice", "--package", "--out", tmp_path / "lab").stdout
    top = tmp_path / "lab" / "adidem-small-voice"
    files = {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()}
    assert files == {
        "README.md",
        "conftest.py",
        "pyproject.toml",
        "src/adidem_small_voice/__init__.py",
        "tests/test_laws.py",
    }
    assert said.splitlines()[0] == f"edit    {top / 'src/adidem_small_voice/__init__.py'}"
    project = tomllib.loads((top / "pyproject.toml").read_text())
    assert project["project"]["name"] == "adidem-small-voice"
    assert project["project"]["entry-points"]["adidem"] == {"small_voice": "adidem_small_voice"}
    readme = (top / "README.md").read_text()
    assert "adidem check-plugin adidem_small_voice" in readme
    assert "--barrier small_voice:0.7" in readme
    assert "{" not in readme.replace("{small_voice: false}", "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KIND_NAMES)
def test_a_package_passes_its_own_tests(cli, tmp_path, monkeypatch, kind):
    cli("new", kind, "mine", "--package")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "adidem-mine" / "src"))
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--law-examples", "20"]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path / "adidem-mine", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("famly", "mine"), "unknown kind 'famly': did you mean 'family'?"),
        (("family", "Mine"), "a family cannot be called 'Mine': small letters, digits and _"),
        (("family", "class"), "a family cannot be called 'class'"),
        (("family", "a-b"), "a family cannot be called 'a-b'"),
        (("barrier", "none"), "a barrier cannot be called 'none'"),
        (("family", "true"), "a family cannot be called 'true'"),
        (("judge", ""), "a judge cannot be called ''"),
        (("judge", "é"), "a judge cannot be called 'é'"),
        (("family", "random"), "a family in a file cannot be called 'random': random.py would be imported in place of"),
        (("trainer", "adidem"), "a trainer in a file cannot be called 'adidem'"),
        (("trainer", "conftest"), "conftest.py would be loaded by pytest, for every test beside it"),
        (("judge", "test_mine"), "test_mine.py would be run by pytest as tests"),
        (("judge", "mine_test"), "mine_test.py would be run by pytest as tests"),
        (("family", "sitecustomize"), "sitecustomize.py would be run by Python whenever it starts"),
        (("family", "setup"), "setup.py would be run by pip"),
        (("barrier", "attrs"), "attrs.py would be imported in place of the module of that name"),
        (
            ("family", "resource_allocation"),
            "family 'resource_allocation' is already registered by builtin adidem.plugins.families.resource_allocation",
        ),
        (("checker", "set_consent"), "checker 'set_consent' is already registered by builtin adidem.plugins.families"),
        (("barrier", "semantic_vagueness"), "barrier 'semantic_vagueness' is already registered by builtin "),
        (("judge", "sotopia", "--package"), "judge 'sotopia' is already registered by builtin "),
        (("trainer", "ppo"), "trainer 'ppo' is already registered by builtin adidem.plugins.trainers.ppo"),
    ],
)
def test_what_cannot_be_is_refused(cli, tmp_path, words, told):
    assert told in cli("new", *words, code=2).stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [[], ["--package"]])
def test_nothing_is_overwritten(cli, more):
    cli("new", "judge", "mine", *more)
    assert "is there already: choose another name or another --out" in cli("new", "judge", "mine", *more, code=2).stderr


def test_a_link_that_leads_nowhere_is_there_already(cli, tmp_path):
    (tmp_path / "x9.py").symlink_to(tmp_path / "elsewhere")
    assert "x9.py is there already" in cli("new", "judge", "x9", code=2).stderr
    assert not (tmp_path / "elsewhere").exists()


def test_what_a_package_is_called_no_file_is(cli):
    cli("new", "trainer", "conftest", "--package")


@pytest.mark.parametrize("folder", ["with blank/é,[x]", "lab", "a: b", "it's", "#1"])
def test_what_it_says_can_be_pasted(cli, tmp_path, folder):
    """Into a shell, and into a registry, which then loads it."""
    path = f"{folder}/a.py"
    edit, check, load = cli("new", "judge", "a", "--out", folder).stdout.splitlines()
    assert edit == f"edit    {path}"
    assert shlex.split(check.removeprefix("check   ")) == ["adidem", "check-plugin", path]
    named, _, flag = load.removeprefix("load    ").partition(" in registry.yaml, or ")
    assert yaml.safe_load(named) == {"plugins": [path]}
    assert shlex.split(flag) == ["--plugin", path]
    (tmp_path / "registry.yaml").write_text(named)
    assert path in cli("plugins").stdout
    install = cli("new", "judge", "b", "--package", "--out", folder).stdout.splitlines()[-2]
    assert shlex.split(install)[-1] == f"{folder}/adidem-b[test]"


@pytest.mark.parametrize("kind", ["barrier", "family"])
def test_the_name_of_a_plugin_that_the_registry_names_is_taken(cli, tmp_path, kind):
    """A family comes with a checker of its name, so that a checker's name is taken for it too."""
    cli("new", "checker" if kind == "family" else kind, "mine", "--out", "lab")
    (tmp_path / "registry.yaml").write_text("plugins: [lab/mine.py]\n")
    assert "'mine' is already registered by plugins lab/mine.py" in cli("new", kind, "mine", code=2).stderr
    cli("new", kind, "yours")


def test_a_registry_that_names_what_is_yet_to_be_written_is_no_hindrance(cli, tmp_path):
    (tmp_path / "registry.yaml").write_text("plugins: [mine.py]\nfamilies: {mine: {}}\n")
    cli("new", "family", "mine")
    assert "plugins mine.py" in cli("plugins").stdout
    assert "builtin" in cli("new", "trainer", "ppo", code=2).stderr


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("family", "agreed"),
        ("family", "none"),
        ("checker", "violation"),
        ("judge", "dimension"),
        ("trainer", "rollout"),
    ],
)
def test_a_name_that_the_file_has_another_use_for_still_makes_a_plugin(cli, kind, name):
    cli("new", kind, name)
    assert_laws(f"{name}.py", examples=10)
