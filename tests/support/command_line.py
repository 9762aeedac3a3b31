"""The command line, in process and in a process of its own."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
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


def started(
    command: Sequence[object], out: Path, *, scored: int = 1, env: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """A run in a process (and process group) of its own, once it has scored so many episodes in `out`, or has ended."""
    from adidem.core.runs.store import RunStore

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process: Any = subprocess.Popen([str(w) for w in command], text=True, env=env, start_new_session=True, **pipes)
    for _ in range(3000):
        if process.poll() is not None:
            break
        try:
            with RunStore(out) as store:
                if len(store.scored()) >= scored:
                    break
        except Exception:  # noqa: BLE001  the file is not there yet, or has no table yet
            pass
        time.sleep(0.02)
    return process
