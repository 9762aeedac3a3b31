"""JSON files of dialogues as a stream: a list, an object by id, or JSON lines, one dialogue in memory at a time.

The standard library's scanner reads one value from a buffer that grows only as far as that value needs; libraries that
stream JSON do not say in which line a fault stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import IO, Any

from attrs import define, field, frozen

from adidem.core.errors import BankError
from adidem.core.language.patterns import Pattern

SUFFIXES = (".json", ".jsonl", ".ndjson")
CHUNK = 1 << 18
"""Characters that are read at once."""

LONGEST = 1 << 26
"""Characters of one dialogue at most: a file that is no JSON is not read to its end in search of one."""

_SPACE = Pattern(r"[ \t\r\n]*")
_EDGE = 64
"""So near the end of what was read a fault may be that the value goes on."""


@frozen(unsafe_hash=False)
class Entry:
    """One dialogue as it stands in a file: where (`file:line`), its key in an object, its JSON value."""

    where: str
    key: str | None
    value: Any


def entries(path: Path) -> Iterator[Entry]:
    """Every dialogue of a file, or of all files of a folder and below it, by name.

    Raises:
        BankError: there is nothing to read, a file cannot be read, or it is no JSON; file and line are named.
    """
    for file in files(path):
        yield from _of_file(file)


def files(path: Path) -> list[Path]:
    """The files that a path stands for: itself, or the JSON files of a folder.

    Raises:
        BankError: it is not there, or the folder holds none.
    """
    if not path.exists():
        raise BankError(f"{path} is not there")
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
    if not found:
        raise BankError(f"{path} holds no file of dialogues ({', '.join(SUFFIXES)})")
    return found


def _of_file(file: Path) -> Iterator[Entry]:
    try:
        with file.open(encoding="utf-8-sig") as stream:
            yield from _entries(_Reader(file, stream))
    except UnicodeDecodeError as error:
        raise BankError(f"{file}: it is no UTF-8: {error.reason}") from error
    except OSError as error:
        raise BankError(f"{file}: cannot be read: {error.strerror}") from error


def _entries(reader: _Reader) -> Iterator[Entry]:
    first = reader.peek()
    if first == "[":
        reader.take("[")
        yield from _members(reader, "]", keyed=False)
        reader.end()
    elif first == "{":
        yield from _object_or_lines(reader)
    else:
        raise reader.error("neither a list, an object nor lines of JSON objects" if first else "the file is empty")


def _object_or_lines(reader: _Reader) -> Iterator[Entry]:
    """An object whose members are dialogues, or else dialogues one after the other. Which it is, the first says: a
    dialogue's own first member is no object with dialogues' members in it."""
    start, keyed = reader.mark(), False
    reader.take("{")
    if reader.peek() == '"':
        reader.value()
        reader.take(":")
        if reader.peek() == "{":
            value = reader.value()
            keyed = isinstance(value, dict) and ("log" in value or "turns" in value)
    reader.back(start)
    if keyed:
        reader.take("{")
        yield from _members(reader, "}", keyed=True)
        reader.end()
        return
    while reader.peek():
        where = reader.where
        yield Entry(where, None, reader.value())


def _members(reader: _Reader, closing: str, *, keyed: bool) -> Iterator[Entry]:
    if reader.peek() == closing:
        reader.take(closing)
        return
    while True:
        where, key = reader.where, None
        if keyed:
            key = reader.value()
            if not isinstance(key, str):
                raise reader.error("a dialogue's id is no text")
            reader.take(":")
        yield Entry(where, key, reader.value())
        if reader.peek() != ",":
            reader.take(closing)
            return
        reader.take(",")


@define
class _Reader:
    """A file's text from where it was read to: `line` is the number of the line at `place`."""

    file: Path
    stream: IO[str]
    text: str = ""
    place: int = 0
    line: int = 1
    ended: bool = False
    kept: bool = False
    _decoder: JSONDecoder = field(factory=JSONDecoder)

    @property
    def where(self) -> str:
        """`file:line` of what comes next."""
        self.peek()
        return f"{self.file}:{self.line}"

    def peek(self) -> str:
        """The next character that is no blank; "" at the end."""
        while True:
            match = _SPACE.match(self.text, self.place)
            self._to(match.end() if match else self.place)
            if self.place < len(self.text):
                return self.text[self.place]
            if not self._more():
                return ""

    def take(self, sign: str) -> None:
        """Go past a sign that has to come next."""
        found = self.peek()
        if found != sign:
            raise self.error(f"{sign!r} is missing" + (f" before {found!r}" if found else ": the file ends too early"))
        self._to(self.place + 1)

    def value(self) -> Any:
        """The next JSON value."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self.text, self.place)
            except JSONDecodeError as error:
                if self._may_go_on(error) and self._more():
                    continue
                self._to(max(self.place, min(error.pos, len(self.text))))
                raise self.error(f"no JSON: {error.msg}") from error
            except RecursionError as error:
                raise self.error("it is nested too deeply") from error
            except ValueError as error:
                raise self.error("a number has more digits than can be read") from error
            self._to(end)
            return value

    def end(self) -> None:
        """Nothing but blanks may follow."""
        if self.peek():
            raise self.error("more follows after the end")

    def mark(self) -> tuple[int, int]:
        """Where the reader stands, for `back`, before anything else is dropped."""
        self.peek()
        self.text, self.place, self.kept = self.text[self.place :], 0, True
        return self.place, self.line

    def back(self, mark: tuple[int, int]) -> None:
        """Go back to the mark: what was read since is still there, and from now on it is dropped again."""
        (self.place, self.line), self.kept = mark, False

    def error(self, what: str) -> BankError:
        """An error that names the file and the line."""
        return BankError(f"{self.file}:{self.line}: {what}")

    def _to(self, place: int) -> None:
        self.line += self.text.count("\n", self.place, place)
        self.place = place

    def _may_go_on(self, error: JSONDecodeError) -> bool:
        if self.ended or len(self.text) - self.place > LONGEST:
            return False
        return error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - _EDGE

    def _more(self) -> bool:
        """Read on, at least as much again as is kept, so that a long value is not scanned again and again."""
        if self.ended:
            return False
        chunk = self.stream.read(max(CHUNK, len(self.text) - self.place))
        self.ended = not chunk
        if self.kept:
            self.text += chunk
        else:
            self.text, self.place = self.text[self.place :] + chunk, 0
        return bool(chunk)
