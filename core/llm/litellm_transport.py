"""litellm as a transport: any provider's model by its litellm name. litellm takes seconds to import, so it is imported
by the first check or call that needs it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from adidem.core.errors import ConfigError, MissingKey
from adidem.core.llm.content import spoken
from adidem.core.llm.failures import CallFailed, kind_of_status, retry_after
from adidem.core.llm.keys import has_credentials, missing_key
from adidem.core.llm.redact import encodable
from adidem.core.llm.transport import Called, Reply, Request, compatible, key_of, message_of, response_format

_TIMEOUTS = frozenset({"Timeout", "APITimeoutError", "TimeoutError", "ReadTimeout", "ConnectTimeout"})
_CONNECTIONS = frozenset({"APIConnectionError", "ConnectError", "ReadError", "WriteError", "RemoteProtocolError"})
_MALFORMED = frozenset({"JSONDecodeError", "APIResponseValidationError", "UnicodeDecodeError"})
_NOT_JSON = "empty or invalid response"


@cache
def load() -> Any:
    """The litellm module, quiet: its own price list, no debug lines, no `.env` file read, no log of requests."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


class LiteLLMTransport:
    """Sends through litellm, whose own retries are off."""

    def check(self, model: str, *, api_base: str | None, api_key: str | None) -> None:
        """Raises ConfigError for a model that litellm cannot route, and for one whose key is not in the environment."""
        if api_key is not None or compatible(model, api_base):
            return
        unset = missing_key(model) if api_base is None else None
        if unset is not None:  # said before the seconds of the import
            raise MissingKey(_needs_key(model, [unset]))
        litellm = load()
        try:
            litellm.get_llm_provider(model)
        except litellm.exceptions.BadRequestError as error:
            raise ConfigError(
                f"no provider for model {model!r}: write it as provider/model, for example openai/gpt-5-mini or "
                f"anthropic/claude-sonnet-4-5; for a server of your own openai/{model.rpartition('/')[2]} with api_base"
            ) from error
        found = litellm.validate_environment(model)
        # Only keys: a region, a project or a cloud's own credential chain may come from elsewhere.
        missing = [name for name in found["missing_keys"] if name.endswith(("API_KEY", "API_TOKEN"))]
        if missing and not found["keys_in_environment"] and not has_credentials(model):
            raise MissingKey(_needs_key(model, missing))

    def price(self, model: str) -> tuple[float, float] | None:
        """What litellm's own list says; it is shipped with it, nothing is fetched."""
        try:
            found = load().get_model_info(model)
        except Exception:  # noqa: BLE001  it raises a bare Exception for a model that it does not list
            return None
        prices = found.get("input_cost_per_token"), found.get("output_cost_per_token")
        if not all(isinstance(price, int | float) for price in prices):
            return None
        return 1e6 * prices[0], 1e6 * prices[1]

    async def send(self, request: Request, seconds: float) -> Reply:
        """One call of `litellm.acompletion`. See `Transport.send`."""
        litellm = await asyncio.to_thread(load)
        try:
            async with asyncio.timeout(seconds + 1):  # litellm's own timeout comes first where it works
                response = await litellm.acompletion(**_parameters(request), timeout=seconds)
        except TimeoutError as error:
            raise CallFailed("timeout", _message(request, f"no answer within {seconds:.0f} s")) from error
        except Exception as error:  # noqa: BLE001  whatever a provider's client raises becomes a typed failure
            raise _failure(request, error) from None  # its chain holds headers, and so the key
        return _reply(response, request)

    async def close(self) -> None:
        """Close litellm's connections, if it was ever used."""
        if load.cache_info().currsize:
            await load().close_litellm_async_clients()


def _needs_key(model: str, names: Sequence[str]) -> str:
    return f"model {model!r} needs a key: set {' or '.join(names)} in the environment"


def _parameters(request: Request) -> dict[str, Any]:
    given: dict[str, Any] = {
        "model": request.model,
        "messages": [dict(message) for message in request.messages],
        "api_base": request.api_base,
        "api_key": key_of(request),
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "stop": list(request.stop) or None,
        "reasoning_effort": request.reasoning_effort,
    }
    if request.tools:
        given["tools"] = list(request.tools)
    if request.schema is not None:
        given["response_format"] = response_format(request.schema)
    given = {name: value for name, value in given.items() if value is not None}
    # A sampling parameter that a provider has no word for (a seed, say) is left out rather than refused.
    return {**given, "num_retries": 0, "max_retries": 0, "drop_params": True, **request.extra}


def _reply(response: Any, request: Request) -> Reply:
    choices = getattr(response, "choices", None)
    if not choices:
        raise CallFailed("malformed", _message(request, "the reply holds no choices"))
    message = choices[0].message
    usage = getattr(response, "usage", None)
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    cost = response._hidden_params.get("response_cost") if request.api_base is None and prompt + completion else None
    reasoning = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None)
    refusal = getattr(message, "refusal", None)
    text, thought = spoken(message.content)
    return Reply(
        text=text,
        reasoning=encodable(reasoning) if isinstance(reasoning, str) else thought,
        finish=choices[0].finish_reason or "stop",
        refusal=encodable(refusal) if isinstance(refusal, str) else None,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=float(cost) if isinstance(cost, int | float) else None,
        calls=tuple(_calls(getattr(message, "tool_calls", None))),
    )


def _calls(said: Any) -> Iterator[Called]:
    for entry in said if isinstance(said, list) else ():
        function = getattr(entry, "function", None)
        name, arguments = getattr(function, "name", None), getattr(function, "arguments", None)
        if isinstance(name, str):
            yield Called(encodable(name), encodable(arguments) if isinstance(arguments, str) else "")


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _failure(request: Request, error: Exception) -> CallFailed:
    return CallFailed(_kind(error), _message(request, str(error)), retry_after=_wait(error))


def _kind(error: Exception) -> str:
    names = {type(each).__name__ for each in _chain(error)}
    if "ContextWindowExceededError" in names:
        return "context_overflow"
    if "ContentPolicyViolationError" in names:
        return "content_filter"
    if names & _TIMEOUTS:
        return "timeout"
    if names & _MALFORMED or _NOT_JSON in str(error).casefold():
        return "malformed"
    if names & _CONNECTIONS:
        return "connection"
    status = getattr(error, "status_code", None)
    said = f"{error} {getattr(error, 'body', None) or ''}"  # the body holds the provider's own word for it
    return kind_of_status(status, said) if isinstance(status, int) else "bad_request"


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what caused it, but nothing below the first error with an HTTP response: that one is the cause."""
    for _ in range(10):
        if error is None:
            return
        yield error
        if type(error).__module__.startswith("openai") and getattr(error, "status_code", None) is not None:
            return
        error = error.__cause__ or error.__context__


def _wait(error: Exception) -> float | None:
    """What the endpoint asks to wait: providers' errors keep its headers in one of three places."""
    for each in _chain(error):
        for headers in (
            getattr(getattr(each, "response", None), "headers", None),
            getattr(each, "headers", None),
            getattr(each, "litellm_response_headers", None),
        ):
            if headers and "retry-after" in headers:
                return retry_after(headers["retry-after"])
    return None


def _message(request: Request, said: str) -> str:
    return message_of(request, said.replace("litellm.", "").replace("OpenAIException - ", ""))
