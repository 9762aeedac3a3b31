"""Text of models, plugins and stores, made fit to stand in a report: nothing unseen in it, of bounded length."""

from __future__ import annotations

import os
from pathlib import Path

from adidem.core.judging import shown
from adidem.core.language.patterns import Pattern
from adidem.core.llm.redact import plain

_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_PILED = Pattern(f"([{_MARKS}]{{3}})[{_MARKS}]+")
"""More marks on one letter than any language needs: they would be drawn over the lines around."""


_NO_CHARACTER = Pattern("[\ufdd0-\ufdef\ufffe\uffff]")
"""What no XML, and so no plot, may hold."""


def cell(text: object, longest: int = 120) -> str:
    """A text on one line, without control characters and marks that turn it around, cut where it is longer."""
    words = _tame(str(text), longest).split()
    joined = " ".join(words)
    return joined if len(joined) <= longest else joined[: longest - 1] + "…"


def passage(text: str, longest: int = 4000) -> str:
    """A text with its lines kept; where it is longer, how many characters are left out stands at its end."""
    kept = _tame(text, longest).strip()
    if len(text) <= longest:
        return kept
    return f"{kept[:longest]} … ({len(text) - longest:,} more characters)"


def spelled(path: Path | str) -> str:
    """A path as text that any encoding takes: bytes of it that are no UTF-8 as `\\xe9`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def many(number: int, noun: str) -> str:
    """`1 episode`, `1,204 episodes`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _tame(text: str, longest: int) -> str:
    text = _PILED.sub(r"\1", plain(text[: 4 * longest]))
    return shown(_NO_CHARACTER.sub("\ufffd", text))
