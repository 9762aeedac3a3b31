"""`adidem plugins`, `adidem schema` and the command itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from typer.testing import CliRunner

import adidem
from adidem.core.cli.main import VERBS, app
from adidem.core.cli.options import load_setup
from adidem.core.errors import ConfigError
from adidem.core.registry import PACKAGED

Write = Callable[[str, str], Path]
HEAVY = (
    "cattrs",
    "litellm",
    "matplotlib",
    "numpy",
    "orjson",
    "pydantic",
    "rapidfuzz",
    "starlette",
    "torch",
    "transformers",
)
ROW = {"kind", "name", "enabled", "origin", "distribution", "status", "error"}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test works in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def only(write: Write) -> list[str]:
    """Arguments that leave all built-ins out."""
    return ["--registry", str(write("my.yaml", "builtins: []\n"))]


def invoke(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_plugins_as_json_is_a_list_of_rows(toy: Path, only: list[str]) -> None:
    """The keys are those that scripts rely on."""
    code, out, err = invoke("plugins", "--json", "--plugin", toy, *only)
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert all(set(row) == ROW for row in rows)
    assert [(row["kind"], row["name"]) for row in rows] == [
        ("family", "toy"),
        ("checker", "toy"),
        ("barrier", "mumble"),
        ("judge", "nod"),
        ("trainer", "flat"),
    ]


def test_the_table_shows_what_is_broken_and_exits_with_0(toy: Path, write: Write, only: list[str]) -> None:
    """A broken plugin is a line of the table with its cause; the verb has done its work."""
    bad = write("bad.py", "import no_such_module")
    code, out, _ = invoke("plugins", "--plugin", bad, "--plugin", toy, *only)
    assert code == 0
    assert out.splitlines()[0].split() == ["kind", "name", "enabled", "origin", "distribution", "status", "error"]
    (line,) = [line for line in out.splitlines() if "broken" in line]
    assert "No module named 'no_such_module'" in line
    assert any(line.split()[:3] == ["family", "toy", "yes"] for line in out.splitlines())


def test_strict_plugins_is_one_line_and_exit_code_2(toy: Path, write: Write, only: list[str]) -> None:
    """For CI: the first problem, and how many more there are."""
    code, out, err = invoke("plugins", "--strict-plugins", "--plugin", write("bad.py", "1 / 0"), *only)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "ZeroDivisionError" in err
    assert invoke("plugins", "--strict-plugins", "--plugin", toy, *only)[0] == 0


@pytest.mark.parametrize(("kind", "names"), [("judge", ["nod"]), ("families", ["toy"]), ("plugin", ["bad.py"])])
def test_kind_filters(kind: str, names: list[str], toy: Path, write: Write, only: list[str]) -> None:
    """Singular or plural; `plugin` shows the broken ones."""
    write("bad.py", "1 / 0")
    code, out, _ = invoke("plugins", "--json", "--kind", kind, "--plugin", "bad.py", "--plugin", toy, *only)
    assert (code, [row["name"] for row in json.loads(out)]) == (0, names)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["plugins", "--kind", "jugde"], "adidem: unknown kind 'jugde': did you mean 'judge'"),
        (["plugins", "--plugin", "absent.py"], "adidem: --plugin absent.py: cannot be read: No such file"),
        (["plugins", "--registry", "absent.yaml"], "adidem: --registry absent.yaml: there is no such file"),
        (["plugins", "--registry", "bad.yaml"], "adidem: bad.yaml:1:1: unknown section 'suits': did you mean 'suites'"),
        (["plugins", "--set", "suites.hico.turns=0"], "adidem: --set: suites.hico.turns: must be >= 1: 0"),
        (["schema", "--set", "x"], "adidem: --set 'x': write it as name.name=value"),
        (["plugin"], "adidem: unknown verb 'plugin': did you mean 'plugins'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], wanted: str, write: Write) -> None:
    """Every such error names the value and what to do, and nothing else is printed."""
    write("bad.yaml", "suits: {}")
    code, out, err = invoke(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(wanted)


def test_an_unknown_option_is_a_usage_error() -> None:
    """typer's own message and the same exit code."""
    code, _, err = invoke("plugins", "--jsno")
    assert code == 2
    assert "--jsno" in err


def test_an_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C inside a verb is no traceback."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("adidem.core.setup.load", interrupted)
    assert invoke("plugins")[0] == 130


def test_the_version_and_the_verbs_are_shown() -> None:
    """--version is the package's; --help lists every verb whose file is there with what it does."""
    assert invoke("--version")[:2] == (0, f"adidem {adidem.__version__}\n")
    code, out, _ = invoke("--help")
    assert code == 0
    for verb in ("plugins", "schema"):
        assert VERBS[verb] in " ".join(out.split())


def test_what_a_verb_says_of_itself_in_the_list_is_what_its_help_says() -> None:
    """The list of verbs is written by hand so that --help imports none; it stays in step."""
    for verb in ("plugins", "schema"):
        assert VERBS[verb].rstrip(".").split(",")[0] in " ".join(invoke(verb, "--help")[1].split())


def test_warnings_name_what_was_left_out(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """Other verbs go on with what works and say on stderr what does not; strict refuses."""
    registry = write("my.yaml", "builtins: [no_such_module]\n")
    load_setup(registry, None, None, False)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("adidem: warning: builtin no_such_module")
    with pytest.raises(ConfigError):
        load_setup(registry, None, None, True)


@pytest.mark.parametrize("arguments", [["--help"], ["plugins"], ["plugins", "--json"]])
def test_nothing_heavy_is_imported_and_no_setting_is_read(arguments: list[str]) -> None:
    """A fresh interpreter runs the verb with every built-in on: sys.modules holds no heavy library and nothing of what
    listens, and no family's settings or cues were opened."""
    code = f"""
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from adidem.core.cli.main import app
try:
    app({arguments!r})
except SystemExit as end:
    assert not end.code, end.code
heavy = [name for name in {HEAVY!r} if name in sys.modules]
ears = [name for name in ("language.times", "language.items", "listening") if "adidem.core." + name in sys.modules]
ears += [name for name in sys.modules if name.startswith("adidem.plugins.families.hearing")]
settings = [name for name in opened if name.endswith((".yaml", ".jsonl")) and not name.endswith("/registry.yaml")]
assert not heavy, heavy
assert not ears, ears
assert not settings, settings
assert "click" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def schema(*arguments: object) -> dict[str, Any]:
    code, out, _ = invoke("schema", *arguments)
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def test_the_packaged_registry_satisfies_its_schema() -> None:
    """The schema that editors get accepts the file that ships, and knows every section and field in it."""
    packaged = yaml.safe_load(PACKAGED.read_text())
    found = schema()
    jsonschema.validate(packaged, found)
    assert set(packaged) == set(found["properties"])
    suite = found["properties"]["suites"]["additionalProperties"]["properties"]
    for name, fields in packaged["suites"].items():
        for key, value in fields.items():
            assert key in suite
            if name == "hico" and key in ("split", "turns", "partner", "repeats", "concurrency"):
                assert suite[key]["default"] == value


def test_the_schema_shows_the_options_of_every_component(toy: Path, only: list[str]) -> None:
    """An option has its type, range, default and what it is for; a finished object has no options."""
    properties = schema("--plugin", toy, *only)["properties"]
    _, options = properties["families"]["properties"]["toy"]["anyOf"]
    assert options["properties"]["most"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 99,
        "description": "greatest quantity",
        "default": 9,
    }
    assert properties["families"]["properties"]["toy"]["description"] == "A toy family."
    _, none = properties["checkers"]["properties"]["toy"]["anyOf"]
    assert set(none["properties"]) == {"enabled"}


DOCUMENTS = [
    ("families: {toy: {most: 3}}", True),
    ("families: {toy: }", True),
    ("families: {toy: false}", True),
    ("families: {toy: {enabled: false, unit: x}}", True),
    ("families: {toy: {most: 0}}", False),
    ("families: {toy: {most: x}}", False),
    ("families: {toy: {mots: 3}}", False),
    ("families: {tyo: {}}", False),
    ("trainers: {flat: {within: 1}}", True),
    ("trainers: {flat: {within: 1.5}}", False),
    ("barriers: {mumble: {words: [a]}}", True),
    ("barriers: {mumble: {words: [1]}}", False),
    ("checkers: {toy: {x: 1}}", False),
    ("suites: {hico: {turns: 200, barriers: [mumble]}}", True),
    ("suites: {hico: {turns: 201}}", False),
    ("suites: {hico: {split: tests}}", False),
    ("suites: {hico: {families: []}}", False),
    ("suites: {hico: {families: [Toy]}}", False),
    ("llm: {transport: litellm, attempts: 20}", True),
    ("llm: {timeout: 0}", False),
    ("models: {a/b: {temperature: 2, extra: {x: [1]}}}", True),
    ("models: {a/b: {temperature: 2.1}}", False),
    ("agents: {me: {spec: ''}}", False),
    ("plugins: [a.b]", True),
    ("plugins: a.b", False),
    ("suits: {}", False),
    ("", True),
]


@pytest.mark.parametrize(("text", "good"), DOCUMENTS)
def test_the_schema_and_the_reader_are_in_step(text: str, good: bool, toy: Path, write: Write, only: list[str]) -> None:
    """What the reader refuses the schema refuses, and what it takes the schema takes."""
    validator = jsonschema.Draft202012Validator(schema("--plugin", toy, *only))
    assert validator.is_valid(yaml.safe_load(text)) == good
    packaged_off = "builtins: []\n" + (text if not text.startswith("plugins: [") else "")
    code, _, err = invoke("plugins", "--plugin", toy, "--registry", write("r.yaml", packaged_off))
    assert (code == 0) == good, err
