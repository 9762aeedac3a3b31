"""Who may ask the viewer, and what its pages may do: Host and Origin, the token, the headers of every answer."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from attrs import define, frozen

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types adidem",
    )
)
"""No inline script or style, nothing from elsewhere, in no frame. The one policy `adidem` lets the page's own script
read a newer version of the page from the viewer."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
EVERYWHERE = frozenset({"0.0.0.0", "::", ""})


@frozen
class Access:
    """Whom the viewer answers. `hosts` are the names that it may be asked by; `addresses` allows any literal address
    too, which no page elsewhere can point at itself. `token`: what a visitor must bring once; None on loopback."""

    hosts: frozenset[str]
    token: str | None = None
    addresses: bool = False
    cookie: str = "adidem_view"

    @classmethod
    def to(cls, host: str, port: int, token: str | None, also: tuple[str, ...] = ()) -> Access:
        """The access that fits a place where the viewer listens."""
        names = {*LOOPBACK, *(name.casefold() for name in also)}
        if host not in EVERYWHERE:
            names.add(host.casefold())
        return cls(frozenset(names), token, host in EVERYWHERE, f"adidem_view_{port}")

    def knows(self, name: str) -> bool:
        """Whether a Host header names the viewer; its port may be another, as through a tunnel."""
        host = _host(name)
        return host in self.hosts or (self.addresses and _address(host))


def loopback(host: str) -> bool:
    """Whether only this machine reaches that place."""
    if host in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host(name: str) -> str | None:
    """The host of `host:port`, or None where it is none."""
    try:
        return urlsplit(f"//{name}").hostname
    except ValueError:
        return None


def _place(origin: str) -> str | None:
    """The `host:port` of an origin, or None where it is none."""
    try:
        return urlsplit(origin).netloc.casefold()
    except ValueError:
        return None


def _address(host: str | None) -> bool:
    try:
        return host is not None and bool(ipaddress.ip_address(host))
    except ValueError:
        return False


@define
class Guard:
    """Stands before the app: refuses whoever may not ask and sets the headers of every answer."""

    app: App
    access: Access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in given]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        refused = self._refused(scope["method"], headers)
        if refused is not None:
            await _answer(guarded, *refused)
        elif self.access.token is None or self._known(headers):
            await self.app(scope, receive, guarded)
        else:
            await self._asked_in(scope, guarded)

    def _refused(self, method: str, headers: dict[str, str]) -> tuple[int, str] | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.access.knows(host):
            return 421, "adidem view does not answer to this host name; see --allow-host"
        if origin is not None and _place(origin) != host.casefold():
            return 403, "adidem view answers its own pages only"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return 403, "adidem view answers its own pages only"
        if method not in ("GET", "HEAD"):
            return 405, "adidem view only shows; it takes nothing"
        return None

    def _known(self, headers: dict[str, str]) -> bool:
        pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        return any(name == self.access.cookie and self._fits(value) for name, _, value in pairs)

    def _fits(self, said: str) -> bool:
        return self.access.token is not None and hmac.compare_digest(said.encode(), self.access.token.encode())

    async def _asked_in(self, scope: Scope, send: Send) -> None:
        """Without the cookie: the token in the address makes one, and is taken out of the address."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if not any(name == "token" and self._fits(value) for name, value in query):
            await _answer(send, 401, "adidem view needs its token: open the address that it printed when it started")
            return
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope["path"].lstrip("/")  # never //elsewhere
        headers = [
            (b"location", f"{_quoted(path)}{'?' + rest if rest else ''}".encode("latin-1")),
            (b"set-cookie", f"{self.access.cookie}={self.access.token}; HttpOnly; SameSite=Lax; Path=/".encode()),
        ]
        await _answer(send, 303, "", headers)


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path, safe="/")


async def _answer(send: Send, status: int, text: str, more: list[tuple[bytes, bytes]] | None = None) -> None:
    body = text.encode() + b"\n"
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *(more or ()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
