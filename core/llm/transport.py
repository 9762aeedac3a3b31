"""What a transport is: one request to one model becomes one reply, or a typed failure. It neither waits nor retries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from attrs import field, frozen

Message = Mapping[str, str]


@frozen(unsafe_hash=False)
class Request:
    """One call, ready to be sent. `model` is a litellm model string; None is 'the provider's own default'; `schema`
    is sent as a strict `json_schema` response format."""

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


class Transport(Protocol):
    """A way to reach models."""

    def check(self, model: str, *, api_base: str | None, api_key: str | None) -> None:
        """Raises ConfigError where the model cannot be reached as things are: no such provider, no key."""
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
