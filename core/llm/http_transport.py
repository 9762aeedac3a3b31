"""The thin transport: chat completions of OpenAI-compatible endpoints over aiohttp and orjson, nothing in between.

One session with kept-alive connections. A message is serialised once: the prompt of a conversation only grows at its
end, so that a request's body is the joined bytes of messages that were sent before, and the new ones.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
from yarl import URL

import adidem
from adidem.core.llm.content import spoken
from adidem.core.llm.failures import CallFailed, kind_of_status, retry_after
from adidem.core.llm.redact import bare_url, encodable
from adidem.core.llm.transport import Called, Message, Reply, Request, key_of, message_of, response_format

LARGEST = 32 * 1024 * 1024
"""Bytes of a reply that are read at most; a larger one is `malformed`."""

_KEPT, _LONGEST_KEPT = 4096, 16_384
_FINISH = {"eos": "stop", "eos_token": "stop", "stop_sequence": "stop", "max_tokens": "length"}
"""Words for why a model stopped that some servers use in place of the protocol's."""


class HttpTransport:
    """Sends straight to the endpoint. Make one an event loop."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    def check(self, model: str, *, api_base: str | None, api_key: str | None) -> None:
        """Nothing: whatever the endpoint wants, it says when it is called."""

    def price(self, model: str) -> tuple[float, float] | None:
        """Unknown: an own endpoint's prices are in the registry."""
        return None

    async def send(self, request: Request, seconds: float) -> Reply:
        """One POST to `api_base/chat/completions`. See `Transport.send`."""
        if self._session is None:
            self._session = _session()
        assert request.api_base is not None
        url, proxy = _endpoint(request.api_base)
        try:
            async with self._session.post(
                url, data=body_of(request), headers=_headers(request), proxy=proxy, timeout=_limit(seconds)
            ) as response:
                raw = await _read(response, request)
        except TimeoutError:
            raise CallFailed("timeout", message_of(request, f"no answer within {seconds:.0f} s")) from None
        except aiohttp.InvalidURL:
            raise CallFailed("bad_request", message_of(request, "api_base is no URL")) from None
        except (aiohttp.ClientError, OSError) as error:
            said = f"{type(error).__name__}: {error}"
            raise CallFailed("connection", message_of(request, said)) from None
        if response.status >= 300:
            moved = str(response.url) if response.history else response.headers.get("location")
            raise _refused(request, response.status, raw, response.headers.get("retry-after"), moved)
        return _reply(request, raw)

    async def close(self) -> None:
        """Close the session, if there is one."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
            await asyncio.sleep(0)


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30),  # the gateway bounds the calls
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=("Accept-Encoding",),  # answers are short: unpacking costs more than reading
        headers={"content-type": "application/json", "user-agent": f"adidem/{adidem.__version__}"},
    )


@lru_cache(maxsize=64)
def _endpoint(api_base: str) -> tuple[URL, str | None]:
    """Where to post, and the proxy that the environment names for it."""
    url = URL(f"{api_base.rstrip('/')}/chat/completions")
    parts = urlsplit(api_base)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if proxy is None or not parts.hostname or proxy_bypass(parts.hostname):
        return url, None
    return url, proxy if "://" in proxy else f"http://{proxy}"


@lru_cache(maxsize=64)
def _limit(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds)


def _headers(request: Request) -> dict[str, str]:
    more = request.extra.get("extra_headers") or {}
    return {"authorization": f"Bearer {key_of(request)}", **{str(name): str(value) for name, value in more.items()}}


# ---------------------------------------------------------------------------------------------------------------- asked


def body_of(request: Request) -> bytes:
    """The request's JSON: the parameters, then the messages, each serialised once for all the requests it stands in."""
    head = orjson.dumps(_parameters(request))
    messages = b",".join([_message(message) for message in request.messages])
    return b'%b,"messages":[%b]}' % (head[:-1], messages)


def _parameters(request: Request) -> dict[str, Any]:
    given: dict[str, Any] = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "stop": list(request.stop) or None,
        "reasoning_effort": request.reasoning_effort,
    }
    given = {"model": request.model.partition("/")[2], **{k: v for k, v in given.items() if v is not None}}
    if request.tools:
        given["tools"] = list(request.tools)
    if request.schema is not None:
        given["response_format"] = response_format(request.schema)
    for name, value in request.extra.items():
        if name == "extra_body":
            given.update(value)
        elif name != "extra_headers":
            given[name] = value
    return given


def _message(message: Message) -> bytes:
    if len(message) == 2 and len(message["content"]) <= _LONGEST_KEPT:
        return _kept(message["role"], message["content"])
    return _dumped(dict(message))


@lru_cache(maxsize=_KEPT)
def _kept(role: str, content: str) -> bytes:
    return _dumped({"role": role, "content": content})


def _dumped(message: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(message)
    except TypeError:  # a lone surrogate, which no encoding takes
        return orjson.dumps({k: encodable(value) if isinstance(value, str) else value for k, value in message.items()})


# ------------------------------------------------------------------------------------------------------------- answered


async def _read(response: aiohttp.ClientResponse, request: Request) -> bytes:
    packed = "content-encoding" in response.headers  # its length says nothing of what is in it
    if response.content_length is not None and response.content_length <= LARGEST and not packed:
        return await response.read()
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            response.close()
            raise CallFailed("malformed", message_of(request, f"the reply is larger than {LARGEST} bytes"))
    return b"".join(parts)


def _refused(request: Request, status: int, raw: bytes, wait: str | None, moved: str | None) -> CallFailed:
    """`moved` is where the endpoint sent the call on to, if it did."""
    text = raw[:20_000].decode("utf-8", "replace")
    said = _error_text(_parsed(raw)) or text.strip() or "no reason is given"
    if moved is not None:
        said = f"sent on to {bare_url(moved)}, so api_base may have to be that; there {said}"
    return CallFailed(
        kind_of_status(status, text), message_of(request, f"{status}: {said}"), retry_after=retry_after(wait)
    )


def _error_text(data: Any) -> str | None:
    """What an error's body says in words, in the places where servers put it."""
    if not isinstance(data, Mapping):
        return None
    error = data.get("error", data)
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("detail")
    return error if isinstance(error, str) and error else None


def _parsed(raw: bytes) -> Any:
    """The JSON of a body; None where it is none."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(raw)  # lone surrogates and numbers beyond 64 bits
    except (ValueError, RecursionError):
        return None


def _reply(request: Request, raw: bytes) -> Reply:
    data = _parsed(raw)
    if not isinstance(data, Mapping):
        raise CallFailed("malformed", message_of(request, f"the reply is no JSON object: {_start(raw)}"))
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise _no_choices(request, data)
    message = choices[0].get("message")
    if not isinstance(message, Mapping):
        raise CallFailed("malformed", message_of(request, "the reply holds no message"))
    usage = data.get("usage")
    finish = choices[0].get("finish_reason")
    text, thought = spoken(message.get("content"))
    return Reply(
        text=text,
        reasoning=_string(message.get("reasoning_content")) or _string(message.get("reasoning")) or thought,
        finish=_FINISH.get(finish, finish) if isinstance(finish, str) and finish else "stop",
        refusal=_string(message.get("refusal")),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        calls=tuple(_calls(message.get("tool_calls"))),
    )


def _calls(said: object) -> Iterator[Called]:
    """The tools that a reply calls; an entry without a name is none."""
    for entry in said if isinstance(said, list) else ():
        function = entry.get("function") if isinstance(entry, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(name, str):
            continue
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):  # some servers send the object itself
            arguments = json.dumps(arguments)
        yield Called(encodable(name), _string(arguments) or "")


def _no_choices(request: Request, data: Mapping[str, Any]) -> CallFailed:
    """Some routers send an error with status 200, its own status inside."""
    error = data.get("error")
    code = error.get("code") if isinstance(error, Mapping) else None
    said = message_of(request, _error_text(data) or "the reply holds no choices")
    if isinstance(code, int) and code >= 400:
        return CallFailed(kind_of_status(code, said), said)
    return CallFailed("malformed", said)


def _start(raw: bytes) -> str:
    return raw[:80].decode("utf-8", "replace") or "it is empty"


def _string(value: object) -> str | None:
    return encodable(value) if isinstance(value, str) else None


def _count(usage: object, name: str) -> int:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and value > 0 else 0
