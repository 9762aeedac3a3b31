"""Serves the viewer: a socket of its own, so that the address is known before the first request."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlencode

from attrs import frozen

from adidem.core.errors import ConfigError, to_install
from adidem.core.web.app import Viewer, build
from adidem.core.web.guard import EVERYWHERE, Access, loopback

SHORTEST = 16
"""Characters that a token must have."""


@frozen(eq=False)
class Place:
    """Where the viewer listens, and whom it answers there."""

    socket: socket.socket
    access: Access
    url: str


def listen(host: str, port: int, token: str | None = None, also: Sequence[str] = ()) -> Place:
    """Take a port (0: any that is free). Off this machine's own loopback a token is needed; where none is given, one is
    made.

    Raises:
        ConfigError: the place cannot be taken, or the token is too short.
    """
    if token is not None and (
        len(token) < SHORTEST or not token.isascii() or not all(c.isalnum() or c in "-_" for c in token)
    ):
        raise ConfigError(f"a token has {SHORTEST} or more letters, digits, - or _; leave it out to have one made")
    if token is None and not loopback(host):
        token = secrets.token_urlsafe(24)
    try:
        info = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        taken = socket.socket(info[0], info[1])
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(info[4])
        taken.listen(128)
    except (OSError, OverflowError, ValueError) as error:  # ValueError: a name that no host can have, as a..b
        why = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"cannot listen on {host}:{port}: {why}; give another --port, or --port 0 for a free one"
        ) from error
    real = int(taken.getsockname()[1])
    access = Access.to(host, real, token, tuple(also))
    return Place(taken, access, _url(host, real, token))


def _url(host: str, port: int, token: str | None) -> str:
    name = socket.gethostname() if host in EVERYWHERE else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + (f"?{urlencode({'token': token})}" if token else "")


def serve(viewer: Viewer, place: Place) -> None:
    """Answer until interrupted.

    Raises:
        ConfigError: the libraries of the extra `view` are not installed.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise missing(error) from error
    config = uvicorn.Config(
        build(viewer, place.access),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    with suppress(KeyboardInterrupt):  # the ordinary end
        uvicorn.Server(config).run(sockets=[place.socket])


def missing(error: ImportError) -> ConfigError:
    """What to do where a library is not there."""
    return ConfigError(f"adidem view needs {error.name}: {to_install('view')}")
