"""Structured answers: how a schema is asked for in words, and whether an answer meets it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve

from adidem.core.llm.parse import parse_json
from adidem.core.llm.redact import one_line
from adidem.core.llm.templates import render
from adidem.core.llm.transport import Request

_PROMPTS = Path(__file__).parent / "prompts"


def instructed(request: Request, schema: Mapping[str, Any]) -> Request:
    """The request with the schema told in words at the end of the last message, for endpoints that enforce none."""
    words = render(_PROMPTS, "schema.j2", schema=_compact(schema))
    *before, last = request.messages
    if last["role"] == "user":
        last = {**last, "content": f"{last['content']}\n\n{words}"}
        return evolve(request, messages=(*before, last), schema=None)
    return evolve(request, messages=(*request.messages, {"role": "user", "content": words}), schema=None)


def repaired(request: Request, said: str, problem: str, schema: Mapping[str, Any]) -> Request:
    """The request continued: the answer that could not be used, what is wrong with it, and the schema."""
    words = render(_PROMPTS, "repair.j2", problem=problem, schema=_compact(schema))
    more = ({"role": "assistant", "content": said}, {"role": "user", "content": words})
    return evolve(request, messages=(*request.messages, *more))


def read(text: str, schema: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The JSON value of an answer, and what is wrong with it: None where it meets the schema. The value is given
    also where it breaks the schema; it is None where there is no JSON."""
    parsed = parse_json(text)
    if parsed.problem is not None:
        return None, parsed.problem
    return parsed.value, broken(parsed.value, schema)


def broken(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Which part of a value breaks the schema, and how; None where none does."""
    from jsonschema.exceptions import best_match

    error = best_match(_validator(_compact(schema)).iter_errors(value))
    if error is None:
        return None
    place = ".".join(str(step) for step in error.absolute_path)
    return one_line(f"{place}: {error.message}" if place else error.message, 200)


@lru_cache(maxsize=512)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))


def _compact(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
