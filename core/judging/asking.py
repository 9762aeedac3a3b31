"""One question to a judge's model: what it answered, or why all that was asked is unscored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from adidem.core.contracts import Ask, Case
from adidem.core.domain import Judgement
from adidem.core.errors import ModelFailure
from adidem.core.judging.fence import clean

NO_ANSWER = (
    "connection", "timeout", "rate_limit", "overload", "server_error", "authentication", "quota", "bad_request",
    "context_overflow", "internal_error",
)  # fmt: skip
"""The kinds of failure after which nothing came to judge by: what was asked may be asked again."""

KEEPS = "malformed"
"""The kind of failure after which what did come may still hold usable ratings."""


@frozen(unsafe_hash=False)
class Said:
    """An answer's JSON (`data`), its text, and what is wrong with it (`problem`, "" where it meets the schema).
    `failed` is the reason why nothing can be used."""

    data: Any = None
    text: str = ""
    problem: str = ""
    failed: str | None = None


async def asked(ask: Ask, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any]) -> Said:
    """Ask once. A refusal, a truncated or empty answer, a filter, an endpoint that fails: `failed`, kind first. Never
    raises but for cancellation."""
    try:
        answer = await ask(messages, schema=schema)
    except ModelFailure as failure:
        reason = clean(f"{failure.kind}: {failure}")
        if failure.kind == KEEPS and failure.data is not None:
            return Said(failure.data, problem=reason)
        return Said(failed=reason)
    except Exception as error:  # noqa: BLE001  whatever an ask raises leaves ratings unscored, never ends a run
        return Said(failed=clean(f"internal_error: {type(error).__name__}: {error}"))
    if answer.data is None:
        return Said(failed="malformed: the answer holds no JSON")
    return Said(answer.data, answer.text)


def unanswered(judgement: Judgement) -> bool:
    """Whether something in it is unscored because no answer came."""
    reasons = [rating.unscored or "" for rating in judgement.ratings]
    return any(reason.partition(":")[0] in NO_ANSWER for reason in reasons)


def nothing_said(case: Case) -> str | None:
    """Why there is no conversation to judge, or None where there is one."""
    if not case.dialogue or not case.conversation:
        return "there was no dialogue"
    return None
