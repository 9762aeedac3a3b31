"""The process behind `local:NAME`: `python -m adidem.core.llm.local_server FILE NAME SLOTS CONTEXT THREADS`.

It writes the address it listens on, one line, and serves until its standard input closes.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


def serve(file: str, name: str, slots: int, context: int, threads: int) -> None:
    """Serve a GGUF file until standard input closes; the one line on standard output is the address, or an error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which lets calls in flight finish
    out = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # native code writes where it likes
    os.dup2(silence, 2)
    try:
        import xllamacpp

        server = xllamacpp.Server(_parameters(xllamacpp, file, name, slots, context, threads))
        address = server.listening_address  # the port that was set is ignored
    except Exception as error:  # noqa: BLE001  whatever it is, the parent must hear of it
        os.write(out, f"{type(error).__name__}: {error}".replace("\n", " ").encode() + b"\n")
        os._exit(1)
    os.write(out, f"{address}\n".encode())
    sys.stdin.buffer.read()
    os._exit(0)  # native destructors wait for calls in flight, which nobody waits for any more


def _parameters(xllamacpp: Any, file: str, name: str, slots: int, context: int, threads: int) -> Any:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = file
    parameters.model_alias = {name}
    parameters.n_ctx = context * slots
    parameters.n_parallel = slots
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.hostnames = ["127.0.0.1"]
    parameters.cache_prompt = True
    parameters.cache_ram_mib = 1024  # histories of conversations that wait for their partner
    parameters.ui = False
    parameters.verbosity = 0
    return parameters


if __name__ == "__main__":
    path, model, *numbers = sys.argv[1:]
    serve(path, model, *(int(number) for number in numbers))
