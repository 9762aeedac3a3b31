"""An utterance cut into words once, with its sentences and the places where it names something specific."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from attrs import frozen

from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern
from adidem.core.language.words import NOT_A_UNIT, SCALES, SMALL

Kind: TypeAlias = Literal["number", "time", "name", "item"]
Phrases: TypeAlias = dict[str, tuple[tuple[str, ...], ...]]

LONGEST_ITEM = 3
"""The most words that name one item, its article aside."""

_TOKEN = Pattern(
    r"[ap]\.m\b\.?|(?:e\.g|i\.e)\.|[$€£]?[0-9]+(?:[.,:][0-9]+)*%?|[^\W\d_]+(?:['-][^\W\d_]+)*"
    r"|[.!?…]+[\"')\]]*(?=\s|$)|[.!?…]+|[,;:—\"()-]|\n+"
)
_ENDS = frozenset(".!?…\n")
_HALVES = frozenset(("half", "quarter"))
_ARTICLES = frozenset(("a", "an"))
_COUNTED = frozenset(("hundred", "thousand", "dozen", "couple", "hour", "half", "quarter"))
_NUMBER_WORDS = (frozenset(SMALL) | frozenset(SCALES) | _HALVES) - {"k", "grand", "one"}
_LARGE = frozenset(("hundred", "thousand", "million"))
_JOINS = frozenset(("to", "until", "till", "-", "—"))
_NOT_ONE_AFTER = frozenset("the this that these those no any every each which another some other same".split())
_OF_HALF = frozenset(("past", "to", "of", "a", "an"))
_LENGTHS = frozenset("hour hours minute minutes min mins hrs percent".split())


@frozen(slots=True)
class Reference:
    """Something specific that is named: a number with its unit, a time, a name or an item; offsets, end exclusive."""

    kind: Kind
    start: int
    end: int


@frozen(slots=True)
class Sentence:
    """A sentence: its tokens `first` to `last` (exclusive), and the character offsets of its words' start, of its
    end without and with the mark that ends it. `mark` is that mark, empty where there is none."""

    first: int
    last: int
    start: int
    end: int
    close: int
    mark: str


@frozen(slots=True, eq=False)
class Scan:
    """A text with its tokens in lower case: words, numbers and punctuation marks, and where each stands."""

    text: str
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    sentences: tuple[Sentence, ...]
    references: tuple[Reference, ...]


@cache
def lexicon() -> dict[str, Any]:
    """The lists of measures.yaml: `common` as a set of words with the function words of words.py, the rest as they
    stand."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = Path(__file__).with_name("measures.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506  a safe loader
    found["common"] = frozenset(found["common"].split()) | NOT_A_UNIT
    return found


@cache
def words_of(name: str) -> frozenset[str]:
    """A list of single words as a set."""
    return frozenset(lexicon()[name])


@cache
def phrases_of(name: str) -> Phrases:
    """A list of phrases by their first word, longest first."""
    found: Phrases = {}
    for phrase in sorted((tuple(line.split()) for line in lexicon()[name]), key=len, reverse=True):
        found[phrase[0]] = (*found.get(phrase[0], ()), phrase)
    return found


def phrase_at(tokens: Sequence[str], place: int, phrases: Phrases) -> int:
    """How many tokens the longest phrase that stands at `place` has; 0 where none does."""
    for phrase in phrases.get(tokens[place], ()):
        if len(phrase) == 1 or tuple(tokens[place : place + len(phrase)]) == phrase:
            return len(phrase)
    return 0


@lru_cache(maxsize=2048)
def scan(text: str) -> Scan:
    """Cut a text. Linear in its length; never raises."""
    found = [(m.group(), m.span()) for m in _TOKEN.finditer(level(text))]
    tokens = tuple(token for token, _ in found)
    spans = tuple(span for _, span in found)
    sentences = tuple(_sentences(text, tokens, spans))
    openers = frozenset(sentence.first for sentence in sentences)
    return Scan(text, tokens, spans, sentences, tuple(_References(text, tokens, spans, openers).all()))


def _sentences(text: str, tokens: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[Sentence]:
    found: list[Sentence] = []
    first = 0
    for place, token in enumerate((*tokens, "\n")):
        if token[0] not in _ENDS:
            continue
        at_end = place == len(tokens)
        if not at_end and token[0] != "\n" and not _closes(text, spans[place][1]):
            continue
        while first < place and not tokens[first][0].isalnum() and tokens[first][0] not in "$€£":
            first += 1
        if first < place:
            mark = "" if at_end or token[0] == "\n" else token
            end = spans[place][0] if mark else spans[place - 1][1]
            found.append(Sentence(first, place, spans[first][0], end, end + len(mark), mark))
        first = place + 1
    return found


def _closes(text: str, end: int) -> bool:
    return end == len(text) or text[end].isspace()


@cache
def _plain() -> frozenset[str]:
    """The words that nothing named starts with: most of what is said, passed over at once."""
    common: frozenset[str] = lexicon()["common"]
    starts = (
        words_of("determiners"),
        words_of("days"),
        _ARTICLES,
        _NUMBER_WORDS,
        {"one", "noon", "midnight", "midday"},
    )
    return (common | frozenset(",.;:?!-—()")).difference(*starts)


class _References:
    """Finds what is named, from left to right, each place once."""

    def __init__(
        self, text: str, tokens: Sequence[str], spans: Sequence[tuple[int, int]], openers: frozenset[int]
    ) -> None:
        self.text, self.tokens, self.spans, self.openers = text, tokens, spans, openers
        self.common: frozenset[str] = lexicon()["common"]
        self.determiners, self.before, self.after = (
            words_of(name) for name in ("determiners", "before_items", "after_items")
        )
        self.days, self.tails, self.leads = (words_of(name) for name in ("days", "clock_tails", "clock_leads"))
        self.greetings, self.plain = words_of("greetings"), _plain()

    def all(self) -> list[Reference]:
        found: list[Reference] = []
        place, count = 0, len(self.tokens)
        while place < count:
            if self.tokens[place] in self.plain:
                place += 1
                continue
            kind, first, last = self._at(place)
            if kind is not None:
                last = self._whole(last)
                found.append(Reference(kind, self.spans[first][0], self.spans[last - 1][1]))
            place = max(last, place + 1)
        return found

    def _at(self, place: int) -> tuple[Kind | None, int, int]:
        """What is named at a token: its kind, first token and end; kind None where nothing is."""
        token = self.tokens[place]
        if self._numeral(place) or (token in _ARTICLES and self._token(place + 1) in _COUNTED):
            return self._number(place)
        if token in self.days:
            return "time", place, place + 1
        if self._named(place):
            last = place + 1
            while self._named(last):
                last += 1
            return "name", place, last
        if token in self.determiners:
            last = self._content(place + 1)
            return ("item", place, last) if last > place + 1 else (None, place, place)
        if self._is_content(place) and self._introduced(place):
            last = self._content(place)
            if last == len(self.tokens) or self.tokens[last] in self.after or self.tokens[last][0] in _ENDS:
                return "item", place, last
        return None, place, place

    def _token(self, place: int) -> str:
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def _numeral(self, place: int) -> bool:
        token = self._token(place)
        if not token or self._glued(place):
            return False
        if token[0] in "0123456789$€£" or token in _NUMBER_WORDS or token in ("noon", "midnight", "midday"):
            return True
        if token == "one":
            return self._is_content(place + 1) and self._token(place - 1) not in _NOT_ONE_AFTER
        head = token.partition("-")[0]
        return head != token and head in _NUMBER_WORDS

    def _number(self, place: int) -> tuple[Kind, int, int]:
        last, timed = self._run(place)
        while self._token(last) in self._joins(place) and self._numeral(last + 1):
            last, more = self._run(last + 1)
            timed = timed or more
        return ("time" if timed else "number"), place, last

    def _joins(self, place: int) -> frozenset[str]:
        return _JOINS | {"and"} if self._token(place - 1) == "between" else _JOINS

    def _run(self, place: int) -> tuple[int, bool]:
        """The end of one number with its unit, and whether it is a time of day."""
        last = place + 1
        while (step := self._more(last)) > 0:
            last += step
        tokens = self.tokens[place:last]
        if any(token in self.tails or ":" in token for token in tokens):
            return last, True
        bare = tokens[-1] not in _LENGTHS and tokens[0][0] not in "$€£"
        if bare and self._is_content(last):
            return last + 1, False
        return last, bare and self._token(place - 1) in self.leads

    def _more(self, last: int) -> int:
        """How many of the next tokens still belong to the number that ends before `last`."""
        token, before = self._token(last), self.tokens[last - 1]
        if token in self.tails or token in _LENGTHS or (token != "one" and self._numeral(last)):
            return 1
        if before in _ARTICLES and token in _COUNTED:
            return 1
        if before in _HALVES and token in _OF_HALF:
            return 1
        if token == "and" and self._token(last + 1) == "a" and self._token(last + 2) in _HALVES:
            return 3
        if token == "and" and before in _LARGE and self._numeral(last + 1):
            return 2
        return 0

    def _named(self, place: int) -> bool:
        """A capital inside a sentence, or a first word all in capitals, of somebody or something not being greeted."""
        token = self._token(place)
        if len(token) < 2 or token in self.common or self._token(place - 1) in self.greetings:
            return False
        start, end = self.spans[place]
        if place in self.openers:
            return self.text[start:end].isupper()
        return self.text[start] != token[0] and self.text[start].isupper()

    def _introduced(self, place: int) -> bool:
        """Whether a bare noun phrase may start here; behind a comma only where a list goes on."""
        before = self._token(place - 1)
        return before in self.before and (before != "," or self._is_content(place - 2))

    def _glued(self, place: int) -> bool:
        """Written on to the word or number before it."""
        if not 0 < place < len(self.tokens):
            return False
        return self.spans[place - 1][1] == self.spans[place][0] and self.tokens[place - 1][-1].isalnum()

    def _whole(self, last: int) -> int:
        """The end of what is named, with all that is written on to it."""
        while self._glued(last) and self.tokens[last][0].isalnum():
            last += 1
        return last

    def _is_content(self, place: int) -> bool:
        token = self._token(place)
        return len(token) > 2 and token[0].isalpha() and token not in self.common and "'" not in token[:-2]

    def _content(self, place: int) -> int:
        last = place
        while last < place + LONGEST_ITEM and self._is_content(last) and not self._numeral(last):
            last += 1
        return last
