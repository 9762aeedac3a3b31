"""What a user installs holds all of adidem: the links are followed by every way of building it."""

import json
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import adidem

ROOT = Path(__file__).resolve().parent.parent
COPIED = ["LICENSE", "README.md", "core", "plugins", "pyproject.toml", "registry.yaml", "src"]
CACHES = shutil.ignore_patterns("__pycache__", "*.egg-info")
WHEEL = f"adidem-{adidem.__version__}-py3-none-any.whl"
SHIPPED_SUFFIXES = {".yaml", ".jsonl", ".j2", ".js", ".css", ".py"}

pytestmark = pytest.mark.slow


def shipped(tree: Path) -> set[str]:
    """Names of the files of the tree that an installed adidem must have, as a wheel names them."""
    files = (file for part in ("core", "plugins") for file in (tree / part).rglob("*"))
    inside = {f"adidem/{file.relative_to(tree).as_posix()}" for file in files if file.suffix in SHIPPED_SUFFIXES}
    outside = ("__init__.py", "__main__.py", "py.typed", "registry.yaml", "testing.py")
    return inside | {f"adidem/{name}" for name in outside}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with its links kept, so that building leaves nothing behind in the repository."""
    copy = tmp_path_factory.mktemp("tree")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, symlinks=True, ignore=CACHES)
        else:
            shutil.copy2(source, copy / name)
    return copy


def build(tree: Path, out: Path, *options: str) -> Path:
    """Build the tree with `python -m build` and return its wheel."""
    command = [sys.executable, "-P", "-m", "build", *options, "--outdir", str(out), str(tree)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / WHEEL


@pytest.mark.parametrize("options", [["--wheel"], []], ids=["from-tree", "through-sdist"])
def test_the_wheel_holds_every_file(tree: Path, tmp_path: Path, options: list[str]) -> None:
    """Code and data of core and plugins, the registry and py.typed are in the wheel, as files and with content."""
    with zipfile.ZipFile(build(tree, tmp_path, *options)) as wheel:
        names = {name for name in wheel.namelist() if name.startswith("adidem/")}
        assert names == shipped(tree)
        assert wheel.read("adidem/registry.yaml") == (tree / "registry.yaml").read_bytes()


@pytest.mark.parametrize("editable", [False, True], ids=["copied", "editable"])
def test_an_installed_adidem_imports_from_anywhere(tree: Path, tmp_path: Path, editable: bool) -> None:
    """`pip install .` brings its own files; `pip install -e .` leads back to the tree, where edits are live."""
    target = tmp_path / "site"
    subprocess.run([sys.executable, "-m", "venv", str(target)], check=True)
    python = target / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", *(["-e"] if editable else []), str(tree)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

    code = "import adidem, pathlib; print(pathlib.Path(adidem.__file__).parent)"
    found = subprocess.run([str(python), "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    package = Path(found.stdout.strip())
    assert package.is_relative_to(tree if editable else target)
    missing = {name for name in shipped(tree) if not (package.parent / name).is_file()}
    assert not missing


def asked_for(wheel: Path) -> dict[str, Distribution]:
    """The distributions that a wheel needs without any extra, and those that they need, as they are installed here."""
    with zipfile.ZipFile(wheel) as inside:
        name = next(name for name in inside.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(inside.read(name).decode())
    waiting = [(Requirement(line), "") for line in metadata.get_all("Requires-Dist", [])]
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        for wanted in ("", *requirement.extras):
            if (requirement.name, wanted) not in seen:
                seen.add((requirement.name, wanted))
                found[requirement.name] = distribution(requirement.name)
                waiting += [(Requirement(line), wanted) for line in found[requirement.name].requires or ()]
    return found


def test_a_wheel_plays_in_an_empty_environment(tree: Path, tmp_path: Path) -> None:
    """With what it asks for and nothing else, outside the repository: a run of hico and its report. Dependencies are
    linked from this environment, so that no network is needed."""
    wheel = build(tree, tmp_path, "--wheel")
    target, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    subprocess.run([sys.executable, "-m", "venv", str(target)], check=True)
    (site,) = (target / "lib").glob("python*/site-packages")
    for needed in asked_for(wheel).values():
        for top in {file.parts[0] for file in needed.files or () if file.parts[0] not in ("..", "__pycache__")}:
            source = Path(str(needed.locate_file(top)))
            if source.exists() and not (site / top).exists():
                (site / top).symlink_to(source)

    def said(*command: str) -> str:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    binaries = target / "bin"
    said(str(binaries / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    where = said(str(binaries / "python"), "-c", "import adidem; print(adidem.__file__)")
    assert Path(where.strip()).is_relative_to(target)
    played = said(str(binaries / "adidem"), "run", "hico", "--agent", "scripted:candid", "--out", "run", "--json")
    assert json.loads(played.splitlines()[-1])["episodes"] == {"scored": 240, "failed": 0, "owed": 0}
    assert "verified in both worlds: 100.0" in said(str(binaries / "adidem"), "report", "run")
