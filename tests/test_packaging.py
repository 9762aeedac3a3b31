"""What a user installs holds all of adidem: the links are followed by every way of building it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

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
