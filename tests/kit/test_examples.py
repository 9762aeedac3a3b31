"""The packages of examples/: installed into a fresh environment, enabled from YAML, played, reported, removed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKAGES = ("adidem-potluck", "adidem-attention")
REGISTRY = """\
barriers:
  attention: {rate: 0.6}
suites:
  lab:
    families: [potluck, bounded_quantities]
    barriers: ["attention:0.9"]
    judges: [integrity_rules, conduct]
    split: test
"""


class Environment:
    """A fresh virtual environment that borrows what this one has installed, and a working directory of its own."""

    def __init__(self, place):
        self.place, self.work = place, place / "work"
        self.work.mkdir()
        subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
        self.python = place / "venv" / "bin" / "python"
        borrowed = next(path for path in sys.path if path.endswith("site-packages"))
        (site,) = (place / "venv" / "lib").glob("python*/site-packages")
        (site / "borrowed.pth").write_text(f"import site; site.addsitedir({borrowed!r})\n")

    def run(self, *words, code=0):
        """A module's command line; its standard output."""
        command = [str(self.python), "-m", *map(str, words)]
        done = subprocess.run(command, cwd=self.work, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    def plugins(self):
        """Kind, name and distribution of what comes from outside."""
        rows = json.loads(self.run("adidem", "plugins", "--json"))
        return {(r["kind"], r["name"], r["distribution"]) for r in rows if r["origin"].startswith("entry point")}


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """The example packages, copied so that building leaves nothing behind."""
    place = tmp_path_factory.mktemp("examples")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", ".pytest_cache")
    return [Path(shutil.copytree(ROOT / "examples" / name, place / name, ignore=ignored)) for name in PACKAGES]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("fresh"))


def test_they_are_installed_enabled_played_reported_and_removed(environment, copies):
    assert environment.plugins() == set()
    environment.run("pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *copies)
    assert environment.plugins() == {
        ("family", "potluck", "adidem-potluck 0.1.0"),
        ("checker", "potluck", "adidem-potluck 0.1.0"),
        ("barrier", "attention", "adidem-attention 0.1.0"),
    }

    (environment.work / "registry.yaml").write_text(REGISTRY)
    played = json.loads(environment.run("adidem", "run", "lab", "--out", "run", "--json").splitlines()[-1])
    assert played["episodes"]["failed"] == 0
    report = json.loads(environment.run("adidem", "report", "run", "--format", "json"))
    assert report["by_family"]["potluck"]["feasibility"]["n"] == 8  # 2 scenarios, both worlds and seats
    assert report["by_family"]["bounded_quantities"]["feasibility"]["n"] == 40
    clear, lapsed = report["by_barrier"]["none"], report["by_barrier"]["attention:0.9"]
    assert clear["verified_success"]["value"] == 1.0
    assert lapsed["verified_success"]["value"] < 1.0
    assert report["evidence"] == "mechanism"
    assert "potluck" in environment.run("adidem", "report", "run")

    environment.run("pip", "uninstall", "--quiet", "--yes", *PACKAGES)
    told = environment.run("adidem", "run", "lab", "--out", "again", code=2)
    assert "registry.yaml:2:3: barriers: unknown barrier 'attention'" in told
    suite = REGISTRY[REGISTRY.index("suites") :]
    (environment.work / "registry.yaml").write_text(suite)
    told = environment.run("adidem", "run", "lab", "--out", "again", code=2)
    assert "suites.lab: unknown family 'potluck'" in told
    (environment.work / "registry.yaml").unlink()
    assert environment.plugins() == set()
    again = json.loads(environment.run("adidem", "report", "run", "--format", "json"))
    assert again["by_family"] == report["by_family"], "what was played is reported without the package"


@pytest.mark.parametrize("name", PACKAGES)
def test_they_pass_their_own_tests(copies, monkeypatch, name):
    (top,) = (copy for copy in copies if copy.name == name)
    monkeypatch.setenv("PYTHONPATH", str(top / "src"))
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--law-examples", "40"]
    done = subprocess.run([sys.executable, *words], cwd=top, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
