"""The command line in process."""

from __future__ import annotations

from typing import Any


def called(*words: object, code: int | None = 0) -> Any:
    """One call of `adidem`; the result has exit_code, stdout, stderr. Another exit code than `code` fails the test
    (None: any will do), and so does an exception that the command line does not turn into one."""
    from typer.testing import CliRunner

    from adidem.core.cli.main import app

    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert code in (None, result.exit_code), result.stdout + result.stderr
    return result
