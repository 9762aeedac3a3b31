"""Text that anybody may have written, made fit for terminals and files: nothing unseen, nothing they cannot encode."""

from __future__ import annotations

from adidem.core.language.patterns import Pattern

# ESC sequences of terminals: CSI, OSC (ended by BEL or ST), and two-character ones.
_ESCAPE = Pattern(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?")
# C0 (but tab and newline) and C1 controls, line separators, and marks that turn the direction of text around.
_CONTROL = Pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """The text without terminal escapes, control characters and lone surrogates; newlines and tabs stay. Idempotent."""
    if text.isprintable():  # as most texts are: nothing needs to be looked for
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    while (cleaned := _CONTROL.sub("", _ESCAPE.sub("", text))) != text:
        text = cleaned
    return encodable(text)


def encodable(text: str) -> str:
    """The text with lone surrogates, which no file and no database takes, replaced by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
