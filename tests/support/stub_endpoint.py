"""A real HTTP server that speaks the OpenAI chat protocol from a script and injects faults, for every test suite.

def test_it(stub):                                   # the fixture of tests/conftest.py: a started StubEndpoint
    stub.answer = lambda body: "hello"               # or a list of answers; a dict or list is sent as JSON text
    stub.faults = [Fault("429", retry_after=0.01)]   # for the first request; None is no fault
    gateway.ask(Model("openai/stub", api_base=stub.url), ...)
    stub.bodies[0]["messages"]                       # what was asked
"""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]
Say = Callable[[Body], Any]


@dataclass(frozen=True)
class Fault:
    """One fault. Kinds: a status ("429", "500", "503", "400", "401", ...), "hang", "reset", "reset_body",
    "truncated", "not_json", "empty", "length", "content_filter", "refusal", "no_usage", "surrogate", "die",
    "slow" (by `seconds`), "wrong_type", "enormous", "packed" (an
    enormous answer in few bytes), "bad_utf8", "unknown_fields", "error_in_200".

    `text` is the error's message, or the answer's text for "length" and "content_filter"; `code` the error's code,
    `location` where a status such as "301" sends the call on to."""

    kind: str
    retry_after: float | None = None
    text: str | None = None
    seconds: float = 0.0
    code: str | None = None
    location: str | None = None


@dataclass(frozen=True)
class Calls:
    """An answer that calls tools: (name, arguments) each; arguments that are text are sent as they are."""

    calls: tuple[tuple[str, Any], ...]
    text: str | None = None

    def message(self) -> dict[str, Any]:
        """The assistant's message."""
        made = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
            for n, (name, arguments) in enumerate(self.calls)
        ]
        return {"role": "assistant", "content": self.text, "tool_calls": made}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@dataclass
class StubEndpoint:
    """The server. It listens on loopback from `start` to `stop`; "die" and `dies_after` close it for good, midway."""

    answer: Say | Sequence[Any] = field(default=lambda _body: "All right.")
    faults: Iterable[Fault | None] = ()
    latency: float = 0.0
    dies_after: int | None = None
    refuses_above: int | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    served: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    connections: int = 0

    def __post_init__(self) -> None:
        self._lock, self._stopping = threading.Lock(), threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._at_once = 0
        self._plan, self._faults = self.faults, iter(self.faults)
        self._sockets: set[socket.socket] = set()
        self.port = 0

    @property
    def url(self) -> str:
        """The api_base to give."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self, port: int = 0) -> StubEndpoint:
        """Listen; on the same port again after it died, when `port` is given."""
        stub = self
        self._stopping.clear()

        class Handler(_Handler):
            endpoint = stub

        self._server = _Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def stop(self) -> None:
        """Close the listening socket and every connection."""
        server, self._server = self._server, None
        self._stopping.set()
        if server is not None:
            server.shutdown()
            server.server_close()
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for each in sockets:
            _reset(each)

    def take(self, body: dict[str, Any], headers: Mapping[str, str]) -> tuple[int, Fault | None]:
        """Count a request in; its number and its fault."""
        with self._lock:
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            if self._plan is not self.faults:  # faults that were set anew start from the first
                self._plan, self._faults = self.faults, iter(self.faults)
            number = len(self.bodies)
            if self.dies_after is not None and number > self.dies_after:
                return number, Fault("die")
            if self.refuses_above is not None and self._at_once > self.refuses_above:
                return number, Fault("429")
            fault = next(self._faults, None)
            self.served.append(fault.kind if fault else "")
            return number, fault

    def done(self) -> None:
        """Count a request out."""
        with self._lock:
            self._at_once -= 1

    def text(self, number: int, body: Body) -> str | Calls:
        """What the script says to request `number` (from 1)."""
        said = self.answer(body) if callable(self.answer) else self.answer[min(number, len(self.answer)) - 1]
        return said if isinstance(said, str | Calls) else json.dumps(said)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: StubEndpoint

    def setup(self) -> None:
        super().setup()
        self.endpoint._sockets.add(self.connection)
        self.endpoint.connections += 1

    def finish(self) -> None:
        self.endpoint._sockets.discard(self.connection)
        super().finish()

    def log_message(self, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number, fault = self.endpoint.take(body, self.headers)
        try:
            refused = fault is not None and fault.kind == "429"
            if self.endpoint.latency and not refused:
                time.sleep(self.endpoint.latency)
            self._reply(number, body, fault)
        finally:
            self.endpoint.done()

    def _reply(self, number: int, body: dict[str, Any], fault: Fault | None) -> None:
        kind = fault.kind if fault else ""
        if fault and kind.isdigit():
            error = {"message": fault.text or f"stub says {kind}", "type": "stub", "code": fault.code}
            self._send(int(kind), {"error": error}, fault.retry_after, fault.location)
        elif kind == "slow":
            self.endpoint._stopping.wait(fault.seconds if fault else 0)
            self._answer("", None, self.endpoint.text(number, body), body)
        elif kind == "hang":
            self.endpoint._stopping.wait(60)
        elif kind == "reset":
            _reset(self.connection)
            self.close_connection = True
        elif kind == "die":
            threading.Thread(target=self.endpoint.stop, daemon=True).start()
            _reset(self.connection)
            self.close_connection = True
        else:
            self._answer(kind, fault, self.endpoint.text(number, body), body)

    def _answer(self, kind: str, fault: Fault | None, said: str | Calls, body: dict[str, Any]) -> None:
        text = said if isinstance(said, str) else said.text or ""
        message = _message(kind, fault, said) if isinstance(said, str) else said.message()
        finish = {"length": "length", "content_filter": "content_filter"}.get(kind, "stop")
        finish = finish if isinstance(said, str) else "tool_calls"
        reply = {
            "id": "stub-1",
            "object": "chat.completion",
            "created": 1,
            "model": body.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        }
        if kind != "no_usage":
            prompt = sum(len(str(m.get("content", "")).split()) for m in body["messages"])
            done = len(text.split())
            reply["usage"] = {"prompt_tokens": prompt, "completion_tokens": done, "total_tokens": prompt + done}
        if kind == "unknown_fields":
            reply |= {"system_fingerprint": None, "timings": {"ms": 1.5}}
        if kind == "error_in_200":
            reply = {"error": {"message": "stub is overloaded", "code": 503}}
        data = json.dumps(reply).encode()
        if kind == "bad_utf8":
            data = data.replace(b'"content": "', b'"content": "\xff\xfe')
        if kind == "not_json":
            data = b"<html>Bad gateway, sorry</html>"
        elif kind == "truncated":
            data = data[: len(data) // 2]
        if kind == "packed":
            data = gzip.compress(b'{"a": "' + b"a" * 40_000_000)
            self._raw(200, data, len(data), encoding="gzip")
            return
        if kind == "reset_body":
            self._raw(200, data, len(data) + 100)
            _reset(self.connection)
            self.close_connection = True
            return
        types = {"not_json": "text/html", "wrong_type": "text/plain"}
        self._raw(200, data, len(data), types.get(kind, "application/json"))

    def _send(self, status: int, value: Any, retry_after: float | None, location: str | None = None) -> None:
        data = json.dumps(value).encode()
        self._raw(status, data, len(data), retry_after=retry_after, location=location)

    def _raw(
        self,
        status: int,
        data: bytes,
        length: int,
        kind: str = "application/json",
        retry_after: float | None = None,
        encoding: str | None = None,
        location: str | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        if encoding is not None:
            self.send_header("Content-Encoding", encoding)
        if location is not None:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()


def _message(kind: str, fault: Fault | None, text: str) -> dict[str, Any]:
    """What the assistant says under a fault."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if kind in ("empty", "content_filter", "refusal"):
        message["content"] = "" if kind != "refusal" else None
    if kind == "refusal":
        message["refusal"] = "I can't help with that."
    if kind in ("length", "content_filter") and fault and fault.text is not None:
        message["content"] = fault.text
    if kind == "enormous":
        message["content"] = "word " * 400_000
    if kind == "surrogate":
        message["content"] = "caf\ud800 \x1b[31mred"
    if kind == "unknown_fields":
        message |= {"annotations": [], "tool_calls": None, "mood": {"calm": 1}}
    return message


def _reset(connection: socket.socket) -> None:
    """Close a connection so that the other side sees a reset."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RD)
        connection.close()
    except OSError:
        return
