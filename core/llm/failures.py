"""Why a model call failed: the typed cause, what it cost until then, and how long the endpoint asks to wait."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from time import time

from adidem.core.contracts import Answer
from adidem.core.domain import Usage
from adidem.core.errors import ModelFailure

TOO_MUCH = frozenset({"rate_limit", "overload"})
"""Kinds by which an endpoint says that it is asked too much at once."""

RETRIED = TOO_MUCH | {"connection", "timeout", "server_error", "malformed"}
"""Kinds that a later attempt may cure. A `malformed` reply is no chat completion at all: half of one, or a proxy's
page."""

NOTHING = Usage()
_BY_STATUS = {401: "authentication", 402: "quota", 403: "authentication", 408: "timeout", 429: "rate_limit"}
_OVERLOADED = (503, 529)
_TOO_LARGE = (413, 429)
"""What refuses a prompt above an account's whole limit of tokens a minute, as if it had only come too soon."""

_CONTEXT = (
    "context length",
    "context window",
    "context size",
    "exceed_context",
    "context_length",
    "prompt is too long",
    "too many tokens",
)
_USED_UP = ("insufficient_quota", "credit balance is too low", "insufficient balance", "insufficient credit")
"""What providers say, with one status or another, where an account is used up. Not "exceeded your current quota": some
say so of a limit a minute."""

_FILTER = ("content_filter", "content filter", "content management policy", "content_policy", "safety system")


class CallFailed(ModelFailure):
    """A model call that gave no usable answer, after `attempts` tries.

    `retry_after` is in seconds, as the endpoint asked; `usage` counts all attempts; `answer` is what was said where
    something was said that could not be used (kind `malformed`).
    """

    def __init__(
        self,
        kind: str,
        message: str,
        attempts: int = 1,
        *,
        retry_after: float | None = None,
        usage: Usage = NOTHING,
        answer: Answer | None = None,
    ) -> None:
        super().__init__(kind, message, attempts)
        self.retry_after, self.usage, self.answer = retry_after, usage, answer


def kind_of_status(status: int, message: str) -> str:
    """The kind of an HTTP error status; of a 4xx the message tells an overflow, a filter and an account that is used up
    from a bad request and from a limit a minute."""
    said = message.casefold()
    if status < 500 and any(words in said for words in _USED_UP):
        return "quota"
    if status in _TOO_LARGE and "request too large" in said:
        return "context_overflow"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status in _OVERLOADED:
        return "overload"
    if status >= 500:
        return "server_error"
    if any(words in said for words in _CONTEXT):
        return "context_overflow"
    if any(words in said for words in _FILTER):
        return "content_filter"
    return "bad_request"


def retry_after(value: object) -> float | None:
    """Seconds that a `Retry-After` header asks to wait, given as seconds or as a date; None where it says neither."""
    if not isinstance(value, str):
        return None
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if seconds < float("inf") else None
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (TypeError, ValueError):
        return None
