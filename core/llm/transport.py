"""What a transport is: one request to one model becomes one reply, or a typed failure. It neither waits nor retries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from attrs import field, frozen

from adidem.core.llm.redact import bare_url, one_line

Message = Mapping[str, Any]
"""`role` and `content` (text, "" where there is none); of an assistant also `tool_calls`, of a tool `tool_call_id`."""

KEYS = {"openai": "OPENAI_API_KEY", "hosted_vllm": "HOSTED_VLLM_API_KEY"}
"""Providers whose endpoints speak OpenAI's protocol, and the variable that holds each one's key."""

NO_KEY = "not-needed"
"""What is sent as the key to an OpenAI-compatible endpoint that wants none; some servers insist on some key."""


@frozen(unsafe_hash=False)
class Request:
    """One call, ready to be sent. `model` is a litellm model string; None is 'the provider's own default'; `schema`
    is sent as a strict `json_schema` response format, `tools` as the protocol's functions."""

    model: str
    messages: tuple[Message, ...]
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    schema: Mapping[str, Any] | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    reasoning_effort: str | None = None
    extra: Mapping[str, Any] = field(factory=dict)
    tools: tuple[Mapping[str, Any], ...] = ()


@frozen(unsafe_hash=False)
class Called:
    """A tool that a model calls: its name and its arguments, both as the model wrote them."""

    name: str
    arguments: str


@frozen(unsafe_hash=False)
class Reply:
    """What came back, as it came. `cost` is in US dollars, None where the price is unknown."""

    text: str
    reasoning: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    calls: tuple[Called, ...] = ()


class Transport(Protocol):
    """A way to reach models."""

    def check(self, model: str, *, api_base: str | None, api_key: str | None) -> None:
        """Raises ConfigError where the model cannot be reached as things are: no such provider, no key."""
        ...

    def price(self, model: str) -> tuple[float, float] | None:
        """US dollars per million tokens of prompt and of answer; None where it is unknown."""
        ...

    async def send(self, request: Request, seconds: float) -> Reply:
        """Send once and wait at most `seconds` for the reply.

        Raises:
            CallFailed: with the typed kind, and `retry_after` where the endpoint gave one.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def compatible(model: str, api_base: str | None) -> bool:
    """Whether this is an endpoint of one's own that speaks OpenAI's protocol."""
    return api_base is not None and model.partition("/")[0] in KEYS


def key_of(request: Request) -> str | None:
    """The key to send. For a compatible endpoint without one it is `NO_KEY`; None leaves it to the provider's usual
    variable."""
    if request.api_key is not None or not compatible(request.model, request.api_base):
        return request.api_key
    return os.environ.get(KEYS[request.model.partition("/")[0]]) or NO_KEY


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema as the protocol's `response_format`."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}


def message_of(request: Request, said: str) -> str:
    """What a failure says: the model, its endpoint without credentials, and what was said, on one redacted line."""
    where = f" at {bare_url(request.api_base)}" if request.api_base else ""
    return one_line(f"{request.model}{where}: {said}")
