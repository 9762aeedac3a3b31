"""Takes keys and credentials out of text, and control characters out of what models and endpoints say."""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit

from adidem.core.language.patterns import Pattern
from adidem.core.language.untrusted import encodable, plain

__all__ = ["bare_url", "encodable", "keep_secret", "one_line", "plain", "redact", "unencrypted"]

_SECRET_NAME = Pattern(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 8
_named: set[str] = set()
_KEY_LIKE = Pattern(r"\b(?:sk|pk|rk|gsk|hf|xai|AIza)[-_][A-Za-z0-9_\-*.]{6,}|\bAIza[A-Za-z0-9_\-]{20,}")
_BEARER = Pattern(r"(?i)\b(bearer|basic|x-api-key|api[-_]key)([\"']?[:= ]+[\"']?)([A-Za-z0-9_\-.+/=*]{6,})")
_USER_INFO = Pattern(r"(?<=://)[^/\s@]+@")


def keep_secret(name: str) -> None:
    """The environment variable of this name holds a secret, whatever it is called: `redact` takes its value out too."""
    _named.add(name)


def redact(text: str) -> str:
    """The text without the values of secret environment variables, key-like words and URL credentials."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and (name in _named or _SECRET_NAME.search(name)):
            text = text.replace(value, f"<{name}>")
    text = _USER_INFO.sub("", text)
    text = _BEARER.sub(r"\1\2<key>", text)
    return _KEY_LIKE.sub("<key>", text)


def bare_url(url: str) -> str:
    """The URL without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError:
        return redact(url.partition("?")[0])


def unencrypted(url: str) -> bool:
    """Whether what is sent there can be read on the way: plain http to another machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme != "http" or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True


def one_line(text: str, longest: int = 300) -> str:
    """The text on one line, redacted, without control characters, cut where it is very long."""
    text = " ".join(plain(redact(text)).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
