"""The tags in SOTOPIA's texts: who may see which part. What cannot be read for certain is shown to nobody.

`<p viewer="agent_0">…</p>` is seen by the first agent alone, `agent_1` by the second, `environment` by neither;
`<extra_info>`, `<strategy_hint>` and `<clarification_hint>` stand in a goal and are its owner's. A tag that is never
closed reaches to the end of the text, a closing tag that closes nothing is dropped, and any other tag hides what it
holds from both, as in SOTOPIA.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from adidem.core.domain import SEATS, Seat
from adidem.core.language.patterns import Pattern

HINTS = ("extra_info", "strategy_hint", "clarification_hint")
VIEWERS: dict[str, frozenset[Seat]] = {
    "agent_0": frozenset({"first"}),
    "agent_1": frozenset({"second"}),
    "environment": frozenset(),
}
EVERYBODY: frozenset[Seat] = frozenset(SEATS)
NOBODY: frozenset[Seat] = frozenset()

_TAG = Pattern(r"<\s*(?P<close>/?)\s*(?P<name>[A-Za-z_][\w.-]*)(?P<more>(?:\s[^<>]*)?)>")
_VIEWER = Pattern(r"""\s*viewer\s*=\s*(?P<mark>["'])(?P<who>[^"'<>]*)(?P=mark)\s*""", 2)
_EMPTY = Pattern(r"\(\s*[.,;]?\s*\)")
_BLANKS = Pattern(r"\s+")
_BEFORE_MARK = Pattern(r"\s+(?=[.,;:!?)])")
_NAMES = Pattern(r"[,\s]+")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))


@frozen
class Piece:
    """A stretch of text, who may see it, and the innermost hint tag it stands in ("" for none)."""

    text: str
    seats: frozenset[Seat] = EVERYBODY
    hint: str = ""


@frozen
class _Open:
    name: str
    seats: frozenset[Seat]
    hint: str


def pieces(text: str) -> tuple[Piece, ...]:
    """A text in pieces, in its order. Never raises, whatever the text."""
    return tuple(piece for piece in _pieces(text) if piece.text)


def common(text: str) -> str:
    """What both see of a text that is no goal, its hints included."""
    return joined(piece.text for piece in pieces(text) if piece.seats == EVERYBODY)


def alone(text: str, seat: Seat) -> str:
    """What that seat sees of a text and the other does not."""
    return joined(piece.text for piece in pieces(text) if piece.seats == {seat})


def hidden(text: str) -> str:
    """What neither sees: it is the environment's."""
    return joined(piece.text for piece in pieces(text) if not piece.seats)


def seen(text: str, seat: Seat, hint: str = "") -> str:
    """What the owner of a goal sees of it: outside every hint, or of the hints of one kind."""
    return joined(piece.text for piece in pieces(text) if seat in piece.seats and piece.hint == hint)


def plain(text: str) -> str:
    """A text without its hints and tags, whoever may see it."""
    return joined(piece.text for piece in pieces(text) if not piece.hint)


def joined(texts: Iterable[str]) -> str:
    """Stretches of text as one, without the brackets and blanks that a tag leaves behind."""
    text = _EMPTY.sub(" ", "".join(texts))
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    return _BEFORE_MARK.sub("", _BLANKS.sub(" ", text)).strip()


def _pieces(text: str) -> Iterator[Piece]:
    stack: list[_Open] = []
    start = 0
    for match in _TAG.finditer(text):
        name = match["name"].lower()
        yield _piece(text[start : match.start()], stack)
        start = match.end()
        if match["close"]:
            if any(element.name == name for element in stack):
                while stack.pop().name != name:
                    pass
        elif not match["more"].rstrip().endswith("/"):
            stack.append(_open(name, match["more"]))
    yield _piece(text[start:], stack)


def _piece(text: str, stack: list[_Open]) -> Piece:
    seats = EVERYBODY
    for element in stack:
        seats = seats & element.seats
    hints = [element.hint for element in stack if element.hint]
    return Piece(text, seats, hints[-1] if hints else "")


def _open(name: str, more: str) -> _Open:
    if name in HINTS and not more.strip():
        return _Open(name, EVERYBODY, name)
    if name in ("p", "root", *HINTS):
        return _Open(name, _viewers(more), name if name in HINTS else "")
    return _Open(name, NOBODY, "")


def _viewers(more: str) -> frozenset[Seat]:
    """Whom the attributes of a tag let see it."""
    if not more.strip():
        return EVERYBODY
    match = _VIEWER.fullmatch(more)
    if match is None:
        return NOBODY
    return NOBODY.union(*(VIEWERS.get(who, NOBODY) for who in _NAMES.split(match["who"].strip().lower()) if who))
