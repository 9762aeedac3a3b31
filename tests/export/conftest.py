"""The command line in process, in an empty folder, and a small run of the benchmark."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from adidem.core.cli.main import app


def called(*words, code=0):
    """One call of the command line."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.stdout + result.stderr
    return result


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return called


@pytest.fixture(scope="session")
def played(tmp_path_factory) -> Path:
    """Eight tasks, twice each, without and with a barrier: some verified, some not."""
    folder = tmp_path_factory.mktemp("export") / "run"
    words = ("run", "hico", "--limit", "8", "--repeats", "2", "--seed", "3", "--barrier", "semantic_vagueness")
    called(*words, "--quiet", "--out", folder)
    return folder


@pytest.fixture(scope="session")
def social(tmp_path_factory) -> Path:
    """The ten episodes of SOTOPIA's kind that ship, a scripted judge on the seven dimensions."""
    folder = tmp_path_factory.mktemp("export") / "social"
    called("run", "sotopia", "--agent", "scripted:candid", "--judge", "scripted:judge", "--quiet", "--out", folder)
    return folder
