"""The command line in process, in an empty working directory."""

import pytest
from typer.testing import CliRunner

from adidem.core.cli.main import app


@pytest.fixture
def cli(tmp_path, monkeypatch):
    """`cli("check-plugin", …)`; the result has exit_code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.stdout + result.stderr
        return result

    return call
