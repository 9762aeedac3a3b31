"""What is said from one seat in one public context: values and plans as words of the tongue, and back.

Condition values are written by the shape of their JSON, plans by the types of their terms, so that a family that
nobody here has heard of works too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args, get_origin

from attrs import frozen

from adidem.core.contracts import Family
from adidem.core.domain import Amount, ByRole, Items, Public, Seat, Text, Time, other
from adidem.core.policy.tongue import words as w
from adidem.core.policy.tongue.numbers import Unread, number_words, read_number, read_time, time_words
from adidem.core.records import fields_of


@frozen(unsafe_hash=False)
class Place:
    """A seat in a public context of a family: `choices` are the texts that may be chosen, the two names left out,
    `copies` their words."""

    family: Family
    public: Public
    seat: Seat
    choices: tuple[str, ...]
    copies: Mapping[str, str]

    @classmethod
    def of(cls, family: Family, public: Public, seat: Seat) -> Place:
        """The place of whoever sits there."""
        names = public.names
        texts = (text for listed in family.choices(public).values() for text in listed)
        choices = tuple(dict.fromkeys(text for text in texts if text not in names))
        copies = dict(zip(choices, w.COPIES, strict=False))
        copies |= {public.name(seat): w.SELF, public.name(other(seat)): w.PARTNER}
        return cls(family, public, seat, choices, copies)

    # ----------------------------------------------------------------------------------------------------- values

    def text(self, text: str) -> str:
        """A choice, one of the two names, or unknown."""
        return self.copies.get(text, w.UNKNOWN)

    def value(self, value: Any) -> list[str]:
        """A JSON value: numbers, times, choices, people and seats, lists of them with `|` in between, mappings key by
        key with what is None left out; prose is unknown."""
        if value is None:
            return [w.NONE]
        if isinstance(value, bool):
            return [w.TRUE if value else w.FALSE]
        if isinstance(value, int | float):
            return number_words(value)
        if isinstance(value, str):
            return self._said(value)
        if isinstance(value, Mapping):
            return [word for key, v in value.items() if v is not None for word in (self._key(key), *self.value(v))]
        return self._list(list(value)) if isinstance(value, list | tuple) else [w.UNKNOWN]

    def fact(self, value: Any) -> list[str]:
        """A public fact: as its value, but the list of all choices is told by the last of them."""
        if isinstance(value, list | tuple) and value and tuple(value) == self.choices:
            return [self.text(self.choices[-1])]
        return self.value(value)

    def _said(self, text: str) -> list[str]:
        time = time_words(text)
        if time is not None:
            return time
        if text in ("first", "second"):
            return [w.SELF if text == self.seat else w.PARTNER]
        return [self.text(text)]

    def _key(self, key: str) -> str:
        known = self.text(key)
        return w.key_word(key) if known == w.UNKNOWN else known

    def _list(self, values: list[Any]) -> list[str]:
        if not values:
            return [w.NONE]
        if all(isinstance(value, str) for value in values):
            return [word for value in values for word in self._said(value)]
        parts = [
            [word for v in value for word in self.value(v)] if isinstance(value, list | tuple) else self.value(value)
            for value in values
        ]
        return [word for n, part in enumerate(parts) for word in ([w.NEXT] if n else []) + part]

    # ------------------------------------------------------------------------------------------------------ plans

    def plan(self, terms: Any) -> list[str]:
        """Typed terms, field by field."""
        return [word for name, kind in fields_of(terms.__class__) for word in self._term(kind, getattr(terms, name))]

    def _term(self, kind: Any, value: Any) -> Iterable[str]:
        if kind in (Amount, int, float):
            return number_words(value)
        if kind is Time:
            return time_words(value) or [w.UNKNOWN]
        if kind in (Text, str):
            return [self.text(value)]
        if kind == Items:
            return [*(self.text(item) for item in value), w.STOP]
        if _is_by_role(kind):
            names = (self.public.name(self.seat), self.public.name(other(self.seat)))
            inner = get_args(kind)[1]
            return [
                word for name in names if name in value for word in (self.text(name), *self._term(inner, value[name]))
            ]
        return self.plan(value)

    def read_plan(self, kind: type, words: Sequence[str]) -> Any | None:
        """The typed terms that these words say, all of them; None where they say none."""
        try:
            terms, at = self._read_fields(kind, words, 0)
        except Unread:
            return None
        return terms if at == len(words) else None

    def _read_fields(self, kind: type, words: Sequence[str], at: int) -> tuple[Any, int]:
        given = {}
        for name, inner in fields_of(kind):
            given[name], at = self._read(inner, words, at)
        return kind(**given), at

    def _read(self, kind: Any, words: Sequence[str], at: int) -> tuple[Any, int]:
        if kind in (Amount, int, float):
            return read_number(words, at)
        if kind is Time:
            return read_time(words, at)
        if kind in (Text, str):
            return self._read_text(words, at), at + 1
        if kind == Items:
            return self._read_items(words, at)
        if _is_by_role(kind):
            return self._read_by_role(get_args(kind)[1], words, at)
        return self._read_fields(kind, words, at)

    def _read_text(self, words: Sequence[str], at: int) -> Text:
        word = words[at] if at < len(words) else ""
        for text, copy in self.copies.items():
            if copy == word:
                return Text(text)
        raise Unread(word)

    def _read_items(self, words: Sequence[str], at: int) -> tuple[Items, int]:
        found = []
        while at < len(words) and words[at] != w.STOP:
            found.append(self._read_text(words, at))
            at += 1
        if at == len(words):
            raise Unread("a list without its end")
        return tuple(found), at + 1

    def _read_by_role(self, kind: Any, words: Sequence[str], at: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        while at < len(words) and words[at] in (w.SELF, w.PARTNER):
            name = self._read_text(words, at)
            if name in found:
                raise Unread(f"{name} twice")
            found[name], at = self._read(kind, words, at + 1)
        return {name: found[name] for name in self.public.names if name in found}, at


def _is_by_role(kind: Any) -> bool:
    return get_origin(kind) is get_origin(ByRole[int])
