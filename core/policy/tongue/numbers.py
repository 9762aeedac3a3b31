"""Numbers and times as pairs of digits: 7 is `00 07`, 120 `01 20`, 14:30 `14 30`.

A number has two pairs, and one more for each `^` before it, so that it ends by itself; a fraction follows a point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from adidem.core.language.patterns import Pattern
from adidem.core.policy.tongue.words import MINUS, PAIRS, POINT, STOP, UNKNOWN, WIDE

WIDTH = 2
PLACES = 6
"""So many decimal places of a fraction are kept."""

_DIGITS = frozenset(PAIRS)
_CLOCK = Pattern(r"([01][0-9]|2[0-4]):([0-5][0-9])")


class Unread(Exception):
    """These tokens are not what was to be read."""


def number_words(value: float) -> list[str]:
    """The words of a number; of one that is not finite, or too long to be anybody's, the unknown word."""
    if not math.isfinite(value) or abs(value) >= 10**16:
        return [UNKNOWN]
    sign = [MINUS] if value < 0 else []
    if isinstance(value, int) or float(value).is_integer():
        return [*sign, *_whole(abs(int(value)))]
    whole, _, rest = f"{abs(value):.{PLACES}f}".partition(".")
    rest = rest.rstrip("0")
    rest += "0" * (len(rest) % 2)
    return [*sign, *_whole(int(whole)), POINT, *_pairs(rest), STOP] if rest else [*sign, *_whole(int(whole))]


def read_number(words: Sequence[str], at: int) -> tuple[float, int]:
    """A number from a place on, and the place after it. Raises Unread."""
    sign = 1
    if _at(words, at) == MINUS:
        sign, at = -1, at + 1
    width = WIDTH
    while _at(words, at) == WIDE:
        width, at = width + 1, at + 1
    whole = int(_digits(words[at : at + width], width))
    at += width
    if _at(words, at) != POINT:
        return sign * whole, at
    end = at + 1
    while _at(words, end) in _DIGITS:
        end += 1
    if _at(words, end) != STOP:
        raise Unread("a fraction without its end")
    rest = _digits(words[at + 1 : end], end - at - 1)
    return sign * float(f"{whole}.{rest or 0}"), end + 1


def time_words(text: str) -> list[str] | None:
    """The words of `HH:MM`; None for any other text."""
    match = _CLOCK.fullmatch(text)
    return [match[1], match[2]] if match else None


def read_time(words: Sequence[str], at: int) -> tuple[str, int]:
    """A time as `HH:MM` from a place on, and the place after it. Raises Unread."""
    digits = _digits(words[at : at + 2], 2)
    text = f"{digits[:2]}:{digits[2:]}"
    if time_words(text) is None:
        raise Unread(text)
    return text, at + 2


def _whole(value: int) -> list[str]:
    digits = str(value)
    digits = "0" * (len(digits) % 2) + digits
    digits = digits.rjust(2 * WIDTH, "0")
    return [*[WIDE] * (len(digits) // 2 - WIDTH), *_pairs(digits)]


def _pairs(digits: str) -> list[str]:
    return [digits[n : n + 2] for n in range(0, len(digits), 2)]


def _digits(words: Sequence[str], count: int) -> str:
    if len(words) != count or not _DIGITS.issuperset(words):
        raise Unread(" ".join(words))
    return "".join(words)


def _at(words: Sequence[str], at: int) -> str:
    """The word at a place; nothing past the end."""
    return words[at] if at < len(words) else ""
