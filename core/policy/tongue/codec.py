"""The tongue as a codec: conversations of any family as ids of a small vocabulary, and sampled ids as speech."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from adidem.core.domain import Public, Record, Seat, Turn
from adidem.core.errors import ConfigError
from adidem.core.policy.contracts import Cue, View
from adidem.core.policy.tongue import mouth
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.ears import own_words, partner_words
from adidem.core.policy.tongue.place import Place
from adidem.core.policy.tongue.vocabulary import Vocabulary
from adidem.core.records import UnreadableRecord, read_record, write_record

FILE = "tongue.json"
REMEMBERED = 20_000
"""So many places and heard turns are remembered before all are forgotten."""

_CUES: dict[Cue, str] = {"turn": w.ME, "probe": w.PROBE, "record": w.RECORD}


@define(eq=False)
class Tongue:
    """A codec (`adidem.core.policy.contracts.Codec`) over a vocabulary. `longest_turn` and `longest_record` are the
    most ids that may be sampled of each. With `repair` the context holds the instruction to make sure of what was
    understood, as a prompt would."""

    vocabulary: Vocabulary
    longest_turn: int = 32
    longest_record: int = 24
    repair: bool = False
    name: str = field(default="tongue", init=False)
    _places: dict[tuple[int, Seat], tuple[Public, Place]] = field(factory=dict, init=False, repr=False)
    _heard: dict[tuple[int, Seat, str, str], list[int]] = field(factory=dict, init=False, repr=False)

    @property
    def pad(self) -> int:
        """The padding's id."""
        return self.vocabulary.ids[w.PAD]

    # ---------------------------------------------------------------------------------------------------- context

    def opening(self, view: View) -> list[int]:
        """The family, the public facts that are no prose, who may decide outside, the own card, and the turns."""
        place, card, known = self._place(view), view.card, self.vocabulary.ids
        public = card.public
        facts = [
            word
            for name, value in public.facts.items()
            if w.fact_word(name) in known
            for word in (w.fact_word(name), *place.fact(value))
        ]
        outside = [] if public.approver is None else [w.APPROVER, place.text(public.approver)]
        own = [word for c in card.conditions for word in (w.kind_word(c.kind), *place.value(c.value))]
        told = [w.OPEN, *([w.REPAIR] if self.repair else []), w.family_word(view.family.name), *facts, *outside]
        turns = w.PAIRS[min(view.turns, len(w.PAIRS) - 1)]
        return self.vocabulary.encode([*told, w.CARD, *own, w.TURNS, turns])

    def foreign(self, view: View) -> str | None:
        """Why it cannot play this: it was made without a word for the family."""
        if w.family_word(view.family.name) in self.vocabulary.ids:
            return None
        return f"a lab policy without the family {view.family.name}: train one with it, or give a model that chats"

    def instructed(self, repair: bool = True) -> Tongue:
        """The same tongue with the instruction in its context, or without."""
        return Tongue(self.vocabulary, self.longest_turn, self.longest_record, repair)

    def heard(self, turn: Turn, view: View) -> list[int]:
        """The partner's turn as it is heard."""
        place = self._place(view)
        key = (id(place.public), view.card.seat, turn.text, turn.action)
        if key not in self._heard:
            self._heard[key] = self.vocabulary.encode([w.YOU, *partner_words(turn, place), w.END])
        return list(self._heard[key])

    def cue(self, what: Cue) -> list[int]:
        """One word for each."""
        return self.vocabulary.encode([_CUES[what]])

    def ends(self, what: Cue) -> frozenset[int]:
        """The one end."""
        return frozenset({self.vocabulary.ids[w.END]})

    def most(self, what: Cue) -> int:
        """The longest turn or record."""
        return self.longest_turn if what == "turn" else self.longest_record

    def after(self, what: Cue, ids: Sequence[int]) -> list[int]:
        """The end, where it was not sampled."""
        end = self.vocabulary.ids[w.END]
        return [] if ids and ids[-1] == end else [end]

    # ----------------------------------------------------------------------------------------------- what is sampled

    def said(self, ids: Sequence[int], view: View, index: int) -> Turn:
        """An utterance as a person would say it; ids that mean nothing as the words they are."""
        return mouth.turn(self._words(ids), self._place(view), view.card, index)

    def record(self, ids: Sequence[int], view: View) -> Any:
        """`agree PLAN`, `defer PLAN` or `decline` as a raw record; anything else as the text of its words."""
        words, place = self._words(ids), self._place(view)
        outcome, rest = (words[0], words[1:]) if words else ("", [])
        if outcome == w.DECLINE and not rest:
            return write_record(Record("decline"))
        kind = {w.AGREE: view.family.terms, w.DEFER: view.family.defer_terms}.get(outcome)
        terms = None if kind is None else place.read_plan(kind, rest)
        if terms is None:
            return " ".join(words)
        return write_record(Record("agree" if outcome == w.AGREE else "defer", terms))

    # ------------------------------------------------------------------------------------------------- what is copied

    def spoken(self, turn: Turn, view: View) -> list[int]:
        """A turn of the own seat as the policy would say it, end included."""
        return self.vocabulary.encode([*own_words(turn, self._place(view)), w.END])

    def wrote(self, raw: Any, view: View) -> list[int]:
        """A raw record as the policy would write it, end included; the unknown word for one that cannot be read."""
        try:
            record = read_record(raw, view.family, view.card.public)
        except UnreadableRecord:
            return self.vocabulary.encode([w.UNKNOWN, w.END])
        terms = [] if record.terms is None else self._place(view).plan(record.terms)
        return self.vocabulary.encode([record.outcome, *terms, w.END])

    # --------------------------------------------------------------------------------------------------------- files

    def save(self, folder: Path) -> None:
        """Write `tongue.json`."""
        told = {"longest_turn": self.longest_turn, "longest_record": self.longest_record}
        text = json.dumps({**told, "words": self.vocabulary.words}, ensure_ascii=False, indent=0)
        (folder / FILE).write_text(text, encoding="utf-8")

    def text(self, ids: Sequence[int]) -> str:
        """Ids as their words, for people to read."""
        return " ".join(self.vocabulary.decode(ids))

    def _words(self, ids: Sequence[int]) -> list[str]:
        words = self.vocabulary.decode(ids)
        return words[: words.index(w.END)] if w.END in words else words

    def _place(self, view: View) -> Place:
        key = (id(view.card.public), view.card.seat)
        found = self._places.get(key)
        if found is None:
            if len(self._places) + len(self._heard) > REMEMBERED:
                self._places.clear()
                self._heard.clear()
            found = self._places[key] = (
                view.card.public,
                Place.of(view.family, view.card.public, view.card.seat),
            )
        return found[1]


def load(folder: Path) -> Tongue:
    """The tongue that was saved in a folder.

    Raises:
        ConfigError: its file is missing or is not one.
    """
    try:
        told = json.loads((folder / FILE).read_text(encoding="utf-8"))
        words = tuple(str(word) for word in told["words"])
        return Tongue(Vocabulary(words), int(told["longest_turn"]), int(told["longest_record"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{folder / FILE}: not a saved tongue: {type(error).__name__}: {error}") from error
