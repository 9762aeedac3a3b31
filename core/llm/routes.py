"""Which transport a call takes: the thin one to OpenAI-compatible endpoints, litellm to every other provider. Each is
imported by the first check or call that needs it."""

from __future__ import annotations

import re

from adidem.core.language.patterns import Pattern
from adidem.core.llm.transport import Reply, Request, Transport, compatible

_OWN_WORDS = Pattern(r"openai/(?:o\d|gpt-[5-9]|.*audio)", re.IGNORECASE)
"""OpenAI's own models that take other parameters than the rest (`max_completion_tokens`, no temperature): litellm knows
which."""

_LITELLMS = frozenset(
    "api_version base_url client custom_llm_provider drop_params fallbacks headers max_retries metadata mock_response "
    "num_retries organization provider_specific_header timeout".split()
)
"""Names in `extra` that speak to litellm and not to the endpoint."""


class Transports:
    """Both ways. With `everything_by_litellm` there is one."""

    def __init__(self, *, everything_by_litellm: bool = False) -> None:
        self._everything = everything_by_litellm
        self._thin: Transport | None = None
        self._litellm: Transport | None = None

    def check(self, model: str, *, api_base: str | None, api_key: str | None) -> None:
        """See `Transport.check`. A compatible endpoint is always reachable as far as one can tell before a call; what
        the call needs is imported here, and not while the first conversations wait."""
        if not compatible(model, api_base):
            self._by_litellm().check(model, api_base=api_base, api_key=api_key)
        elif not self._everything:
            self._direct().check(model, api_base=api_base, api_key=api_key)

    def price(self, model: str) -> tuple[float, float] | None:
        """See `Transport.price`: litellm's list."""
        return self._by_litellm().price(model)

    async def send(self, request: Request, seconds: float) -> Reply:
        """See `Transport.send`."""
        if not self._everything and direct(request):
            return await self._direct().send(request, seconds)
        return await self._by_litellm().send(request, seconds)

    async def close(self) -> None:
        """Let go of the connections of both."""
        for transport in (self._thin, self._litellm):
            if transport is not None:
                await transport.close()

    def _direct(self) -> Transport:
        if self._thin is None:
            from adidem.core.llm.http_transport import HttpTransport

            self._thin = HttpTransport()
        return self._thin

    def _by_litellm(self) -> Transport:
        if self._litellm is None:
            from adidem.core.llm.litellm_transport import LiteLLMTransport

            self._litellm = LiteLLMTransport()
        return self._litellm


def direct(request: Request) -> bool:
    """Whether the thin transport can send this as litellm would."""
    if not compatible(request.model, request.api_base) or not _LITELLMS.isdisjoint(request.extra):
        return False
    return _OWN_WORDS.match(request.model) is None
