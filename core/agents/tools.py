"""Tools in the midst of a model's turn: how they are offered, how a call is run, and how calls stand in a prompt.

Endpoints that take OpenAI's `tools` get them so; small local models, and endpoints that refuse them, are told in words
and write `[call] {"tool": …, "arguments": …}`; a `<tool_call>` of their own kind is understood as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from adidem.core.contracts import Family, Tool
from adidem.core.domain import RoleCard, ToolCall
from adidem.core.language.patterns import Pattern
from adidem.core.llm.parse import parse_json
from adidem.core.llm.redact import encodable
from adidem.core.llm.structured import broken
from adidem.core.llm.templates import render
from adidem.core.llm.transport import Called, Message
from adidem.core.records import storable

MOST_CALLS = 8
"""Calls in one turn at most; a model that goes on calling has said nothing."""

LONGEST_RESULT = 20_000
"""Characters of a result that a model is shown."""

_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}
"""What an argument is, for a prompt, where its schema says no more than its type."""

_PROMPTS = Path(__file__).parent / "prompts"
_MARK = Pattern(r"\[\s*call\s*\]", 2)
_NATIVE = Pattern(r"<tool_call>(.*?)(?:</tool_call>|\Z)", 16)
"""How models of the Qwen and Hermes families were taught to call; they do so whatever else they are told."""


def tools_of(family: Family, card: RoleCard) -> tuple[Tool, ...]:
    """The tools that the family gives to the holder of the card; none in most families."""
    return tuple(family.tools(card)) if hasattr(family, "tools") else ()


def functions(tools: Iterable[Tool]) -> tuple[Mapping[str, Any], ...]:
    """Tools as functions of OpenAI's protocol."""
    return tuple(
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    )


def in_words(tools: Sequence[Tool]) -> str:
    """What a model is told that cannot be given functions."""
    return render(_PROMPTS, "tools.j2", tools=[(t.name, t.description, _properties(t)) for t in tools])


def written(text: str) -> Called | None:
    """The first call that a model wrote in words, in ours or as `<tool_call>`; None where it wrote none."""
    mark = _MARK.search(text)
    if mark is None:
        native = _NATIVE.search(text)
        return None if native is None else _native(native[1].strip())
    rest = text[mark.end() :].strip()
    line = rest.partition("\n")[0]
    for part in (line, rest):
        said = parse_json(part).value
        if isinstance(said, Mapping) and isinstance(said.get("tool"), str):
            arguments = said.get("arguments")
            return Called(said["tool"], json.dumps(arguments if isinstance(arguments, Mapping) else {}))
    return Called("", line[:200])


def _native(text: str) -> Called:
    said = parse_json(text).value
    if isinstance(said, Mapping) and isinstance(said.get("name"), str):
        arguments = said.get("arguments")
        return Called(said["name"], json.dumps(arguments if isinstance(arguments, Mapping) else {}))
    return Called("", text[:200])


def called(tools: Sequence[Tool], call: Called) -> ToolCall:
    """Run a call. What cannot be run (no such tool, arguments that are no JSON or break the schema) gets a result that
    says so: the model may try again. An error of the tool's own code passes through."""
    parsed = parse_json(call.arguments or "{}")
    arguments = storable(parsed.value) if isinstance(parsed.value, Mapping) else {}
    tool = next((tool for tool in tools if tool.name == call.name), None)
    if tool is None:
        problem: str | None = f"there is no tool {call.name[:60]!r}; there are {', '.join(t.name for t in tools)}"
    elif parsed.problem is not None:
        problem = f"the arguments are no JSON object: {parsed.problem}"
    else:
        problem = broken(parsed.value, tool.parameters)
    if tool is None or problem is not None:
        return ToolCall(call.name[:60], arguments, {"error": problem})
    return ToolCall(tool.name, arguments, storable(tool.call(arguments)))


def shown(calls: Iterable[ToolCall], turn: int, *, words: bool) -> Iterator[Message]:
    """Calls and results as messages, each call followed by its result. The ids are ours (nine letters and digits, as
    the strictest of providers wants them), so that a prompt is the same whenever it is built."""
    for number, call in enumerate(calls):
        result = _json(call.result)[:LONGEST_RESULT]
        if words:
            asked = _json({"tool": call.name, "arguments": call.arguments})
            yield {"role": "assistant", "content": f"[call] {asked}"}
            yield {"role": "user", "content": f"[result] {result}"}
            continue
        id_ = f"c{turn % 10_000:04d}{number % 10_000:04d}"
        function = {"name": call.name or "unknown", "arguments": json.dumps(call.arguments)}
        yield {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": id_, "type": "function", "function": function}],
        }
        yield {"role": "tool", "tool_call_id": id_, "content": result}


def _json(value: Any) -> str:
    return encodable(json.dumps(value, ensure_ascii=False))


def _properties(tool: Tool) -> list[tuple[str, str]]:
    """Each argument with what it may be, for a prompt."""
    found = []
    for name, part in tool.parameters.get("properties", {}).items():
        kind = _KINDS.get(str(part.get("type")), "text")
        said = ", ".join(map(str, part["enum"])) if part.get("enum") else part.get("description", kind)
        needed = " (needed)" if name in tool.parameters.get("required", ()) else ""
        found.append((name, f"{said}{needed}"))
    return found
