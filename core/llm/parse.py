"""The one place that reads what models write: JSON in any wrapping, and reasoning kept apart from the answer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from adidem.core.language.patterns import Pattern

LONGEST = 200_000
_TRIES = 200
_FENCE = Pattern(r"```[A-Za-z0-9_-]*[ \t]*\n?(.*?)```", re.DOTALL)
_OPEN = Pattern(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_CLOSE = Pattern(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_STRING_OR_COMMA = Pattern(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)


@frozen(unsafe_hash=False)
class Parsed:
    """The JSON value that a text holds, or (`problem`, a sentence) why it holds none."""

    value: Any = None
    problem: str | None = None


class _Ambiguous(ValueError):
    """Valid by the letter of JSON, but with more than one reading."""


def parse_json(text: str) -> Parsed:
    """The one JSON value in a text: the whole text, or a single object inside fences or prose.

    Trailing commas are forgiven, since they have one reading. Nothing is guessed: two different objects, a key given
    twice with different values, NaN and infinity are problems. Never raises, whatever the text.
    """
    text = text.strip().removeprefix("\ufeff")
    if not text:
        return Parsed(problem="there is no text")
    if len(text) > LONGEST:
        return Parsed(problem=f"the text is longer than {LONGEST} characters")
    for read in (_whole, _fenced, _embedded):
        found = read(text)
        if found is not None:
            return found
    return Parsed(problem="there is no complete JSON object in it")


def split_reasoning(text: str) -> tuple[str, str | None]:
    """The answer and the reasoning of a text with `<think>…</think>`, each stripped. Reasoning that was cut off before
    it closed leaves no answer; a closing tag alone ends reasoning that the chat template had opened."""
    said: list[str] = []
    thought: list[str] = []
    position = 0
    while True:
        opened, closed = _OPEN.search(text, position), _CLOSE.search(text, position)
        if opened is None and closed is None:
            said.append(text[position:])
            break
        if closed is not None and (opened is None or closed.start() < opened.start()):
            thought.append("".join(said) + text[position : closed.start()])
            said, position = [], closed.end()
            continue
        assert opened is not None
        said.append(text[position : opened.start()])
        end = _CLOSE.search(text, opened.end())
        thought.append(text[opened.end() : end.start() if end else len(text)])
        if end is None:
            break
        position = end.end()
    reasoning = "\n".join(part.strip() for part in thought if part.strip())
    return "".join(said).strip(), reasoning or None


def _whole(text: str) -> Parsed | None:
    return _read(text)


def _fenced(text: str) -> Parsed | None:
    return _single([found for block in _FENCE.findall(text) if (found := _read(block.strip())) is not None])


def _embedded(text: str) -> Parsed | None:
    return _single(list(_objects(text)) or list(_objects(_without_trailing_commas(text))))


def _single(found: list[Parsed]) -> Parsed | None:
    if not found:
        return None
    first = found[0]
    if any(other != first for other in found[1:]):
        return Parsed(problem="it holds more than one JSON value, and they differ")
    return first


def _read(text: str) -> Parsed | None:
    """The text as JSON; None where it is none."""
    for candidate in (text, _without_trailing_commas(text)):
        try:
            return Parsed(_DECODER.decode(candidate))
        except _Ambiguous as error:
            return Parsed(problem=str(error))
        except (ValueError, RecursionError):
            continue
    return None


def _objects(text: str) -> Iterator[Parsed]:
    """Every outermost JSON object inside a text, from the left."""
    position = text.find("{")
    for _ in range(_TRIES):
        if position < 0:
            return
        try:
            value, position = _DECODER.raw_decode(text, position)
            yield Parsed(value)
        except _Ambiguous as error:
            yield Parsed(problem=str(error))
            return
        except (ValueError, RecursionError):
            position += 1
        position = text.find("{", position)


def _without_trailing_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise _Ambiguous(f"it gives {key[:40]!r} twice, with different values")
        found[key] = value
    return found


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Ambiguous(f"it holds a number that is not finite: {text[:40]}")
    return value


def _constant(text: str) -> Any:
    raise _Ambiguous(f"it holds {text}, which is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_number, parse_constant=_constant)
