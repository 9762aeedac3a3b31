"""Plugins that are files: named in a registry by their paths, or on the command line; what is named must work."""

import json
import os
from pathlib import Path

import pytest

from adidem.core.errors import ConfigError
from adidem.core.setup import load

OUTSIDE = Path(__file__).parents[1] / "outside"
LAB = """plugins: [lab/meeting_place.py, ./lab/mumble.py]
suites:
  lab: {families: [meeting_place], barriers: ["mumble:0.9"], judges: [integrity_rules, conduct], split: dev}
"""


def origins(setup):
    return {(row["origin"], row["status"]) for row in setup.components.describe()}


@pytest.mark.parametrize("named", ["lab/toy.py", "./lab/../lab/toy.py", "{folder}/lab/toy.py"])
def test_a_path_in_a_registry_starts_from_its_folder(named, toy, write, tmp_path, monkeypatch):
    write("lab/toy.py", toy.read_text())
    written = named.format(folder=tmp_path)
    registry = write("my.yaml", f"builtins: []\nplugins: [{written}]\nfamilies: {{toy: {{most: 4}}}}\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    setup = load(registry, strict=True)
    assert setup.components.families["toy"].most == 4
    assert origins(setup) == {(f"plugins {written}", "ok")}
    assert {item.origin.file for item in setup.components.registered} != {None}


def test_a_file_beside_the_registry_is_named_as_it_is(toy, load_only):
    assert origins(load_only(registry="plugins: [toy.py]", strict=True)) == {("plugins toy.py", "ok")}


def test_a_path_from_home(toy, tmp_path, monkeypatch, load_only):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_only(registry="plugins: [~/toy.py]", strict=True).components.families


def test_a_path_of_the_command_line_starts_from_the_working_directory(toy, tmp_path, monkeypatch, write):
    registry = write("far/my.yaml", "builtins: []\n")
    monkeypatch.chdir(tmp_path)
    assert load(registry, (), ["plugins=[toy.py]"], strict=True).components.families


def test_one_file_named_three_times_is_one_plugin(toy, load_only):
    setup = load_only(toy, registry="plugins: [toy.py, ./toy.py]", strict=True)
    assert origins(setup) == {("plugins toy.py", "ok")}


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("absent.py", "my.yaml:3:5: plugins[1]: absent.py: cannot be read: No such file or directory"),
        ("lab/absent", "my.yaml:3:5: plugins[1]: lab/absent: cannot be read: No such file or directory"),
        (
            "./",
            "my.yaml:3:5: plugins[1]: ./: cannot be read: Is a directory; name a Python file, or install the package",
        ),
        ("'my lab.py '", "my.yaml:3:5: plugins[1]: 'my lab.py ' is no module's dotted name and no path of a .py file"),
        ("''", "my.yaml:3:5: plugins[1]: '' is no module's dotted name and no path of a .py file"),
        ("~nobody_at_all/x.py", "my.yaml:3:5: plugins[1]: '~nobody_at_all/x.py': there is no home of that name"),
        ("3", "my.yaml:3:5: plugins[1]: must be text, not 3"),
    ],
)
def test_a_path_that_will_not_do_is_one_line_with_its_place(named, told, toy, tmp_path, write, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("my.yaml", f"plugins:\n  - toy.py\n  - {named}\n")
    with pytest.raises(ConfigError) as caught:
        load(Path("my.yaml"))
    assert str(caught.value).startswith(told)


def test_a_builtin_is_a_module(toy, write):
    with pytest.raises(ConfigError, match=r"builtins\[0\]: 'lab/toy.py' is no module's dotted name$"):
        load(write("my.yaml", "builtins: [lab/toy.py]"))


def test_a_module_that_is_a_file_beside_the_registry_is_told_how_to_be_named(toy, load_only, write):
    (problem,) = load_only(registry="plugins: [toy]").problems
    assert "No module named 'toy'; to load the file, name it by its path: toy.py" in problem.cause
    write("lab/toy.py", toy.read_text())
    (problem,) = load_only(registry="plugins: [lab.toy]").problems
    assert "name it by its path: lab/toy.py" in problem.cause


def test_a_component_that_no_plugin_has_says_how_a_plugin_is_named(load_only, cli):
    with pytest.raises(ConfigError, match=r"my.yaml:2:12: families: .*`plugins: \[FILE.py\]` in registry.yaml"):
        load_only(registry="families: {toy: {}}")
    assert "name the plugin: `plugins: [FILE.py]`" in cli("run", "hico", "--family", "nomads", code=2).stderr
    assert "did you mean 'sotopia'?\n" in cli("run", "hico", "--family", "sotpia", code=2).stderr


@pytest.fixture
def lab(cli, tmp_path):
    """A folder whose registry names a family and a barrier of nobody's package; the command line in it."""
    (tmp_path / "lab").mkdir()
    for name in ("meeting_place.py", "mumble.py"):
        (tmp_path / "lab" / name).write_text((OUTSIDE / name).read_text())
    (tmp_path / "registry.yaml").write_text(LAB)
    return cli


def test_every_verb_works_where_the_registry_names_the_plugins(lab, tmp_path):
    """From the folder with the registry, without --plugin."""
    lab("run", "lab", "--limit", 4, "--out", "r", "--json")
    resumed = lab("run", "lab", "--limit", 4, "--out", "r", "--resume", "--json")
    assert json.loads(resumed.stdout)["episodes"]["scored"] == 8
    assert "mumble:0.9" in lab("report", "r", "--format", "md").stdout
    assert "8 episodes rated" in lab("judge", "r", "--judge", "scripted:judge", "--only", "integrity", "--json").stderr
    lab("export", "r", "--format", "chat")
    assert len(lab("export", "r", "--format", "episodes").stdout.splitlines()) == 8
    lab("language", "r")
    lab("annotate", "r", "--out", "sheets")
    lab("agree", "r:integrity_rules.integrity", "r:integrity.integrity")
    assert "12 of 12" in lab("scenarios", "certify", "--family", "meeting_place").stdout
    lab("scenarios", "generate", "--family", "meeting_place", "--count", 1, "--out", "bank.jsonl")
    lab("scenarios", "show", "meeting_place/test/00")
    lab("neutralize", "--json")
    lab("train", "pacpo", "--recipe", Path(__file__).parents[2] / "recipes" / "lab.yaml", "--dry-run")
    assert "meeting_place" in lab("schema").stdout
    assert "plugins ./lab/mumble.py" in lab("plugins", "--kind", "barrier").stdout
    for target in ("meeting_place", "lab/meeting_place.py", "barrier:mumble"):
        lab("check-plugin", target, "--examples", 2)
    lab("new", "family", "mine")
    assert "already registered by plugins lab/m" in lab("new", "family", "meeting_place", code=2).stderr


def test_the_viewer_has_the_rules_of_a_family_that_the_registry_names(lab, monkeypatch):
    found = {}
    monkeypatch.setattr("adidem.core.web.serve.serve", lambda viewer, _place: found.update(viewer.rules))
    lab("run", "lab", "--limit", 4, "--out", "r", "--json")
    lab("view", "r", "--port", 0)
    assert [checker.name for checker in found["meeting_place"].checkers] == ["meeting_place"]


BROKEN = {
    "does not import": ("import no_such_module", "{how} bad.py{file} is left out: ModuleNotFoundError: No module"),
    "has no hook": ("x = 1", "{how} bad.py{file} is left out: it has no hook"),
    "a part is ill-formed": ("async def", "judge 'nod' of {how} bad.py{file} is left out: Nod.judge must be `async"),
    "a part's name is taken": ("sotopia", "judge 'sotopia' of {how} bad.py{file} is left out: judge 'sotopia' is"),
}


@pytest.mark.parametrize("how", ["plugins", "--plugin"])
@pytest.mark.parametrize("case", BROKEN)
def test_a_named_plugin_that_cannot_be_used_is_left_out_with_a_warning(case, how, cli, tmp_path, header, parts):
    """Whole or in part; the rest works, `--strict-plugins` refuses, and so does whoever asks for what was left out."""
    text, told = BROKEN[case]
    if case == "a part is ill-formed":
        text = header + parts["trainer"] + parts["judge"].replace("async def", "def")
    if case == "a part's name is taken":
        text = header + parts["trainer"] + parts["judge"].replace('"nod"', '"sotopia"')
    (tmp_path / "bad.py").write_text(text)
    words = ["--plugin", "bad.py"]
    if how == "plugins":
        (tmp_path / "mine.yaml").write_text("plugins: [bad.py]\n")
        words = ["--registry", "mine.yaml"]
    wanted = told.format(how=how, file="" if how == "--plugin" else f" ({tmp_path / 'bad.py'})")
    for verb in (("schema",), ("scenarios", "certify", "--family", "set_consent")):
        warned = cli(*verb, *words)
        assert warned.stderr.startswith(f"adidem: warning: {wanted}")
        assert cli(*verb, *words, "--strict-plugins", code=2).stderr.startswith(f"adidem: --strict-plugins: {wanted}")
    wanting = ("check-plugin", "nod") if "part" in case else ("run", "hico", "--family", "bad", "--out", "r")
    if "taken" not in case:
        assert "left out" in cli(*wanting, *words, code=2).stderr
    shown = cli("plugins", *words).stdout
    assert "broken" in shown
    assert "resource_allocation" in shown


@pytest.mark.parametrize(
    ("named", "told"),
    [
        (r"a\0b.py", "cannot be read: embedded null byte"),
        (r"\ud800.py", "?.py: cannot be read: 'utf-8' codec can't encode character"),
        ("fifo.py", "fifo.py: cannot be read: it is a pipe or a device; name a Python file"),
    ],
)
def test_a_path_that_no_file_can_have_and_a_pipe_are_refused_at_once(named, told, tmp_path, write, cli):
    """Both ways of naming it; a pipe is not waited for."""
    os.mkfifo(tmp_path / "fifo.py")
    write("my.yaml", f'plugins: ["{named}"]\n')
    refused = cli("plugins", "--registry", "my.yaml", code=2).stderr
    assert refused.startswith("adidem: my.yaml:1:11: plugins[0]: ")
    assert told in refused
    spelled = tmp_path / named.encode().decode("unicode-escape")
    with pytest.raises(ConfigError, match=r"^--plugin .*: cannot be read: "):
        load(write("none.yaml", "builtins: []"), [spelled])


def test_a_link_to_a_file_is_the_file(toy, tmp_path, load_only):
    """Under any name, by path or as a module: one real path is one plugin."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "link.py").symlink_to(toy)
    setup = load_only(tmp_path / "b" / "link.py", registry="plugins: [toy.py, b/link.py]", strict=True)
    assert origins(setup) == {("plugins toy.py", "ok")}


def test_a_module_and_its_file_are_one_plugin(toy, tmp_path, load_only, monkeypatch):
    toy.rename(tmp_path / "toy_by_two_names.py")
    monkeypatch.syspath_prepend(tmp_path)
    setup = load_only(tmp_path / "toy_by_two_names.py", registry="plugins: [toy_by_two_names]", strict=True)
    assert origins(setup) == {("plugins toy_by_two_names", "ok")}
