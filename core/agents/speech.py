"""From what a model wrote to what the person says: no marker, no label, no words put in the other's mouth."""

from __future__ import annotations

import re

from attrs import frozen

from adidem.core.language.patterns import Pattern
from adidem.core.llm.redact import plain

MARKER = "[END]"
_MARKER = Pattern(r"[*_`\\]*\[\s*\\?/?\s*END\s*(?:OF CONVERSATION)?\\?\s*\][*_`]*", re.IGNORECASE)
_SENTENCE_END = Pattern(r"[.!?…][\"'”’)]*(?=\s|$)")
_TAG_LEFT = Pattern(r"<\|[a-z_]{2,20}\|>")


@frozen
class Said:
    """An utterance, and whether the speaker leaves after it."""

    text: str
    leaves: bool = False


def utterance(text: str, name: str, partner: str, *, cut_short: bool = False) -> Said:
    """What `name` says of what a model wrote. Where it starts to speak for `partner` it is cut; what follows the
    marker is not said; with `cut_short` (the model ran out of tokens) an unfinished last sentence is left out, so that
    nobody hears half a number. Never raises."""
    text = _TAG_LEFT.sub("", plain(text)).strip()
    text = _label(partner).split(text, maxsplit=1)[0]
    text = _label(name).sub("\n", text).strip()
    found = _MARKER.search(text)
    if found is not None:
        before, after = text[: found.start()].strip(), _MARKER.sub("", text[found.end() :]).strip()
        return Said(_unquoted(before or after), leaves=True)
    if cut_short:
        ends = [match.end() for match in _SENTENCE_END.finditer(text)]
        text = text[: ends[-1]] if ends else text
    return Said(_unquoted(text.strip()))


def _label(name: str) -> re.Pattern[str]:
    """`Name:` at the start of a line, full or first name, in bold or in brackets or not."""
    names = "|".join(re.escape(each) for each in sorted({name, name.split(maxsplit=1)[0]}, key=len, reverse=True))
    return re.compile(rf"(?:^|\n)[ \t]*[*_\[(\"]*(?:{names})[*_\])]*[ \t]*:[*_]*[ \t]*", re.IGNORECASE)


def _unquoted(text: str) -> str:
    """The text without quotation marks around the whole of it."""
    for first, last in (('"', '"'), ("“", "”")):
        inner = text[1:-1]
        if len(text) > 1 and text[0] == first and text[-1] == last and first not in inner and last not in inner:
            return inner.strip()
    return text
