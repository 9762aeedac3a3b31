"""Text of the people rated, quoted as data: every line marked, between fences whose code it does not contain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b

from attrs import frozen

from adidem.core.language.patterns import Pattern

MARK = "| "
"""What every quoted line starts with, so that none can pass for a heading, a turn or a fence."""

_BYTES = 10
# Controls that are no white space, lone surrogates, what turns the direction of text around, and what cannot be seen
# (tags and the like, in which text can be hidden). The joiners of emoji and of some scripts stay.
_UNSEEN = Pattern(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


@frozen
class Fence:
    """A pair of lines with one code, drawn so that the quoted text does not hold it."""

    code: str

    def block(self, label: str, lines: Iterable[str]) -> str:
        """Quoted lines between a BEGIN and an END line that carry the label and the code."""
        return "\n".join((f"<<<BEGIN {label} {self.code}>>>", *lines, f"<<<END {label} {self.code}>>>"))


def fence_for(content: str, seed: str) -> Fence:
    """The fence of an episode: a hash of what is quoted and of `seed` (no secret: the task's name, say), so that the
    same episode gives the same prompt, and nobody can write the code into a text that changes it by being written."""
    low = content.casefold()
    attempt = 0
    while True:
        text = f"{attempt}\n{seed}\n{content}".encode("utf-8", "surrogatepass")
        code = blake2b(text, digest_size=_BYTES).hexdigest()
        if code not in low:
            return Fence(code)
        attempt += 1


def shown(text: str) -> str:
    """The text as a judge is shown it, of the same length: a control character as its picture (ESC is ␛), a character
    that cannot be seen or sent as �. Idempotent."""
    return _UNSEEN.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def quoted(text: str) -> list[str]:
    """The lines of a text, each marked; at least one. Whatever breaks a line (a form feed, U+2028, ...) breaks it."""
    return [(MARK + line).rstrip() for line in shown(text).splitlines()] or [MARK.rstrip()]


def clean(text: object, longest: int = 600) -> str:
    """What a model wrote, fit to be kept: one line, nothing unseen, cut where it is very long; "" for what is no
    text."""
    if not isinstance(text, str):
        return ""
    line = " ".join(shown(text[: 4 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
