"""The command line in process, and a run of the one-file family from outside."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from adidem.core.cli.main import app

OUTSIDE = Path(__file__).parents[1] / "outside" / "meeting_place.py"


@pytest.fixture
def cli(tmp_path, monkeypatch):
    """`cli("run", "hico", …)` in an empty working directory; the result has exit_code, stdout, stderr. With `code` None
    any exit code will do."""
    monkeypatch.chdir(tmp_path)

    def call(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert code in (None, result.exit_code), result.stdout + result.stderr
        return result

    return call


@pytest.fixture
def meeting():
    """The words that bring the one-file family in."""
    return "--plugin", str(OUTSIDE), "--family", "meeting_place"
