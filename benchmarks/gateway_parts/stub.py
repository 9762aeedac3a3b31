"""A fast endpoint for measuring clients: OpenAI's chat protocol on a bare asyncio protocol with httptools.

    taskset -c 1 python benchmarks/gateway_parts/stub.py

It prints its port and serves until its standard input closes. Its first answer in a dialogue carries a mark, which
comes back in the history of every later call, so that it knows a dialogue's calls whoever makes them. What each call
waits for is set by `GET /set?latency=MS&sigma=S`: MS at sigma 0, else log-normal with median MS, drawn from the
dialogue's number and the call's, the same for every client. `GET /stats` tells what was served.
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
from random import Random
from urllib.parse import parse_qs, urlsplit

import httptools
import orjson

try:
    from uvloop import run
except ImportError:
    from asyncio import run

SAID = (
    "I hear what you say about the time and the place, and I would like to find something in the middle, so let me "
    "offer a small change that may suit both of us. "
)
MARK = re.compile(rb"\(note ([a-p]{5})\)")
RECORD = b'{"outcome":"decline","terms":null}'
LETTERS = bytes.maketrans(b"0123456789abcdef", b"abcdefghijklmnop")


class Served:
    """What was asked since it was last set, and the latency to give."""

    def __init__(self) -> None:
        self.reset()

    def reset(self, latency: float = 0.0, sigma: float = 0.0) -> None:
        """Count anew, at another latency."""
        self.latency, self.sigma = latency, sigma
        self.calls = self.records = self.errors = self.now = self.peak = self.read = 0
        self.total = 0.0
        self.turns: list[float] = []
        self.last: list[float] = []
        self.made: list[int] = []

    def dialogue(self, body: bytes) -> int:
        """The number of the dialogue that a call belongs to; a new one where no mark has come back yet."""
        found = MARK.search(body)
        if found:
            return int(found.group(1).translate(bytes.maketrans(b"abcdefghijklmnop", b"0123456789abcdef")), 16)
        self.turns.append(0.0)
        self.last.append(0.0)
        self.made.append(0)
        return len(self.turns) - 1

    def wait(self, dialogue: int, record: bool) -> float:
        """Seconds that this call waits, counted into the dialogue's critical path: its turns, and its longer record."""
        self.made[dialogue] += 1
        seconds = self.latency / 1000
        if self.sigma and seconds:
            seconds *= math.exp(self.sigma * Random(f"{dialogue}/{self.made[dialogue]}").gauss(0, 1))
        self.total += seconds
        if record:
            self.records += 1
            self.last[dialogue] = max(self.last[dialogue], seconds)
        else:
            self.turns[dialogue] += seconds
        return seconds

    def stats(self) -> dict[str, float]:
        """The counts, the sum of latencies and the longest critical path, in seconds."""
        path = max((turns + last for turns, last in zip(self.turns, self.last, strict=True)), default=0.0)
        counts = {"calls": self.calls, "records": self.records, "errors": self.errors, "peak": self.peak}
        return {**counts, "read": self.read, "dialogues": len(self.turns), "total": self.total, "path": path}


SERVED = Served()


class Connection(asyncio.Protocol):
    """One client's connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client came."""
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)
        self.url, self.parts = b"", []

    def data_received(self, data: bytes) -> None:
        """Bytes came."""
        self.parser.feed_data(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        self.url, self.parts = b"", []

    def on_url(self, url: bytes) -> None:
        """A part of its path."""
        self.url += url

    def on_body(self, body: bytes) -> None:
        """A part of its body."""
        self.parts.append(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        if self.parser.get_method() == b"GET":
            self.send(orjson.dumps(administer(self.url.decode())))
            return
        body = b"".join(self.parts)
        record = b'"json_schema"' in body
        dialogue = SERVED.dialogue(body)
        seconds = SERVED.wait(dialogue, record)
        SERVED.calls += 1
        SERVED.read += len(body)
        SERVED.now += 1
        SERVED.peak = max(SERVED.peak, SERVED.now)
        answer = completion(dialogue, record, len(body))
        if seconds:
            asyncio.get_running_loop().call_later(seconds, self.finish, answer)
        else:
            self.finish(answer)

    def finish(self, answer: bytes) -> None:
        """Answer a call."""
        SERVED.now -= 1
        self.send(answer)

    def send(self, body: bytes) -> None:
        """Write a reply."""
        if not self.transport.is_closing():
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
            self.transport.write(head + body)


def completion(dialogue: int, record: bool, read: int) -> bytes:
    """A chat completion."""
    mark = b"%05x" % dialogue
    said = RECORD.decode() if record else f"{SAID}(note {mark.translate(LETTERS).decode()})"
    message = {"role": "assistant", "content": said, "refusal": None}
    usage = {"prompt_tokens": read // 4, "completion_tokens": len(said) // 4, "total_tokens": (read + len(said)) // 4}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    about = {"id": f"chatcmpl-{SERVED.calls:08d}", "object": "chat.completion", "created": 1, "model": "stub"}
    return orjson.dumps({**about, "choices": [choice], "usage": usage})


def administer(url: str) -> dict[str, float]:
    """Set the latency and start to count anew, or tell the counts."""
    parts = urlsplit(url)
    asked = {name: float(values[0]) for name, values in parse_qs(parts.query).items()}
    if parts.path == "/set":
        SERVED.reset(**asked)
    return SERVED.stats()


async def main() -> None:
    """Serve until standard input closes."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    server.close()


if __name__ == "__main__":
    run(main())
