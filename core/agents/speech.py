"""From what a model wrote to what the person says: no marker, no label, no words put in the other's mouth."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import frozen

from adidem.core.domain.conversation import Action, Turn
from adidem.core.language.patterns import Pattern
from adidem.core.llm.redact import plain

MARKER = "[END]"
_MARKER = Pattern(r"[*_`\\]*\[\s*\\?/?\s*END\s*(?:OF CONVERSATION)?\\?\s*\][*_`]*", re.IGNORECASE)
_SENTENCE_END = Pattern(r"[.!?…][\"'”’)]*(?=\s|$)")
_TAG_LEFT = Pattern(r"<\|[a-z_]{2,20}\|>")


# A turn that is no speech opens with its kind in brackets; a colon and text may stand inside or after them.
_ACT = Pattern(
    r"[*_`\\]*\[\s*(?:(?P<speak>speak|say|speech)|(?P<none>none|nothing|no action)|(?P<act>action|act)"
    r"|(?P<show>non-?\s?verbal(?:\s+communication)?)|(?P<leave>leaves?|end|/end))\s*(?::(?P<inside>[^\[\]]*))?\]"
    r"[*_`]*[ \t]*:?[ \t]*",
    re.IGNORECASE,
)
_ACTIONS: Mapping[str, Action] = {
    "speak": "speak",
    "none": "none",
    "act": "action",
    "show": "non-verbal communication",
    "leave": "leave",
}
BRACKETS: Mapping[Action, str] = {
    "none": "[none]",
    "action": "[action]",
    "non-verbal communication": "[non-verbal]",
    "leave": "[leave]",
}
"""How each kind of turn but speech is written, by models and in what they are shown."""


@frozen
class Said:
    """An utterance, and whether the speaker leaves after it; or (`action`) what is done in its place."""

    text: str
    leaves: bool = False
    action: Action = "speak"


def as_written(turn: Turn, *, acts: bool) -> str:
    """A turn as a model would have written it; `acts`: its family has actions, so that leaving is one of them."""
    if turn.action == "leave":
        return f"{turn.text} {BRACKETS['leave'] if acts else MARKER}".strip()
    return f"{BRACKETS[turn.action]} {turn.text}".strip() if turn.action in BRACKETS else turn.text


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


def acted(text: str, name: str, partner: str, *, cut_short: bool = False) -> Said:
    """What `name` says or does of what a model wrote, in a family that has actions. The first thing it does is its turn
    and what follows is not; a kind of turn that lacks its words, or is none of ours, is never taken for doing nothing.
    Never raises."""
    text = _TAG_LEFT.sub("", plain(text)).strip()
    text = _label(partner).split(text, maxsplit=1)[0]
    text = _label(name).sub("\n", text).strip()
    marks = list(_ACT.finditer(text))
    if not marks:
        return utterance(text, name, partner, cut_short=cut_short)
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    steps: list[tuple[Action, str]] = [("speak", text[: marks[0].start()])]
    for mark, end in zip(marks, ends, strict=True):
        words = f"{mark['inside'] or ''} {text[mark.end() : end]}"
        steps.append((_ACTIONS[_kind(mark)], words))
    found = [(action, _unquoted(words.strip())) for action, words in steps]
    leaves = any(action == "leave" for action, _ in found)
    for action, words in found:
        if leaves and words and action in ("speak", "leave"):
            return Said(words, leaves=True, action="leave")
        if not leaves and (words or action == "none"):
            return Said("" if action == "none" else words, action=action)
    return Said("", leaves=True, action="leave") if leaves else Said("")


def _kind(mark: re.Match[str]) -> str:
    return next(name for name in _ACTIONS if mark[name] is not None)


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
