"""Asks the viewer's app for a page, without a socket."""

import asyncio
from urllib.parse import urlencode


class Answer:
    """What the app answered."""

    def __init__(self, sent):
        self.status = sent[0]["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        self.text = b"".join(message.get("body", b"") for message in sent[1:]).decode()


def asked(app, path, query=None, headers=None, method="GET", sent=None):
    """Ask an ASGI app for a page; what it sends is put into `sent` too."""
    sent = [] if sent is None else sent

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    given = {"host": "127.0.0.1:8610", **(headers or {})}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": urlencode(query or {}).encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items() if value is not None],
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", 8610),
        "client": ("127.0.0.1", 5000),
        "root_path": "",
    }
    asyncio.run(app(scope, receive, send))
    return Answer(sent)


def key_of(episode):
    """An episode as an address names it."""
    return {"task": episode.task, "condition": episode.barrier, "repeat": episode.repeat}
