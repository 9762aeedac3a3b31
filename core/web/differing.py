"""The one differing condition of a pair: the words in which its two sentences differ."""

from __future__ import annotations

from difflib import SequenceMatcher

from adidem.core.language.patterns import Pattern
from adidem.core.web.marks import Mark

_WORDS = Pattern(r"\s+|\w+(?:[.:,]\w+)*|[^\w\s]")
LONGEST = 5_000
"""Characters of a sentence up to which it is compared word by word; a longer one is marked whole."""


def differing(one: str, two: str) -> list[Mark]:
    """Marks over the words of `one` that `two` has not in that place; over all of it where nothing of it is left or the
    texts are the same (the values differ then)."""
    if max(len(one), len(two)) > LONGEST:
        return [Mark(0, len(one), "differs")]
    ours, theirs = ([match.group() for match in _WORDS.finditer(text)] for text in (one, two))
    places = [0]
    for word in ours:
        places.append(places[-1] + len(word))
    found = [
        Mark(places[start], places[end], "differs")
        for kind, start, end, _, _ in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        if kind != "equal" and start < end and one[places[start] : places[end]].strip()
    ]
    return found or ([Mark(0, len(one), "differs")] if one == two else [])
