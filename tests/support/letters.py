"""A codec that speaks letter by letter: what policies are tested with where no language is needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from adidem.core.domain import Turn
from adidem.core.policy.contracts import Cue, View

TURN, PROBE, RECORD, END, YOU = range(128, 133)
VOCABULARY = 133


@frozen
class Letters:
    """ASCII letters, and one token for each thing that delimits. A text that starts with `!` leaves."""

    longest: int = 8
    opened: int | None = None
    end: int = END
    name: str = "letters"
    pad: int = END  # a pad that means something: nothing may be inferred from it

    def opening(self, view: View) -> list[int]:
        told = f"{view.card.name} {view.card.partner} " + " ".join(f"{c.kind} {c.value}" for c in view.card.conditions)
        return encoded(told[: self.opened])

    def heard(self, turn: Turn, view: View) -> list[int]:
        return [YOU, *encoded(turn.text), END]

    def cue(self, what: Cue) -> list[int]:
        return [{"turn": TURN, "probe": PROBE, "record": RECORD}[what]]

    def ends(self, what: Cue) -> frozenset[int]:
        return frozenset({self.end})

    def most(self, what: Cue) -> int:
        return self.longest

    def after(self, what: Cue, ids: Sequence[int]) -> list[int]:
        return [] if ids and ids[-1] == END else [END]

    def said(self, ids: Sequence[int], view: View, index: int) -> Turn:
        text = decoded(ids)
        return Turn(index, view.card.seat, text.removeprefix("!"), "leave" if text.startswith("!") else "speak")

    def record(self, ids: Sequence[int], view: View) -> Any:
        try:
            return json.loads(decoded(ids))
        except ValueError:
            return decoded(ids)

    def save(self, folder: Path) -> None:
        (folder / "letters.json").write_text(
            json.dumps({"longest": self.longest, "opened": self.opened, "end": self.end})
        )


def load(folder: Path) -> Letters:
    """The codec from its folder."""
    return Letters(**json.loads((folder / "letters.json").read_text()))


def encoded(text: str) -> list[int]:
    """ASCII codes; what is not ASCII is left out."""
    return [ord(letter) for letter in text if letter.isascii()]


def decoded(ids: Sequence[int]) -> str:
    """The letters among the ids; other tokens are written as <n>."""
    return "".join(chr(each) if each < 128 else f"<{each}>" for each in ids if each != END)
