"""Regular expressions that are compiled when they are first used: hundreds of them would make every start slow."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub")
_FURTHEST = sys.maxsize


class Pattern:
    """A regular expression, or a function that composes its text, compiled on first use.

    From then on the compiled pattern's own methods stand in place of these, so that a call costs no more than a look-up
    in a dictionary. The first use raises re.error where the text is no regular expression.
    """

    def __init__(self, text: str | Callable[[], str], flags: int = 0) -> None:
        self._text, self._flags = text, flags

    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern; its methods take the place of this object's."""
        text = self._text if isinstance(self._text, str) else self._text()
        made = re.compile(text, self._flags)
        self.__dict__.update((name, getattr(made, name)) for name in _METHODS)
        return made

    def search(self, string: str, pos: int = 0, endpos: int = _FURTHEST) -> re.Match[str] | None:
        """As of `re.Pattern`."""
        return self.compiled().search(string, pos, endpos)

    def match(self, string: str, pos: int = 0, endpos: int = _FURTHEST) -> re.Match[str] | None:
        """As of `re.Pattern`."""
        return self.compiled().match(string, pos, endpos)

    def fullmatch(self, string: str, pos: int = 0, endpos: int = _FURTHEST) -> re.Match[str] | None:
        """As of `re.Pattern`."""
        return self.compiled().fullmatch(string, pos, endpos)

    def finditer(self, string: str, pos: int = 0, endpos: int = _FURTHEST) -> Iterator[re.Match[str]]:
        """As of `re.Pattern`."""
        return self.compiled().finditer(string, pos, endpos)

    def findall(self, string: str, pos: int = 0, endpos: int = _FURTHEST) -> list[Any]:
        """As of `re.Pattern`."""
        return self.compiled().findall(string, pos, endpos)

    def split(self, string: str, maxsplit: int = 0) -> list[Any]:
        """As of `re.Pattern`."""
        return self.compiled().split(string, maxsplit)

    def sub(self, repl: str | Callable[[re.Match[str]], str], string: str, count: int = 0) -> str:
        """As of `re.Pattern`."""
        return self.compiled().sub(repl, string, count)

    def __repr__(self) -> str:
        return f"Pattern({self._text!r})"


class Patterns(dict[str, Pattern]):
    """Patterns by name, each made of the text that `compose` gives for its name when it is first asked for."""

    def __init__(self, compose: Callable[[str], str]) -> None:
        super().__init__()
        self._compose = compose

    def __missing__(self, name: str) -> Pattern:
        pattern = self[name] = Pattern(self._compose(name))
        return pattern
