"""An utterance cut into words once, with its sentences and the places where it names something specific."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from adidem.core.language.clauses import level
from adidem.core.language.patterns import Pattern
from adidem.core.language.words import NOT_A_UNIT, SCALES, SMALL

Kind: TypeAlias = Literal["number", "time", "name", "item"]
Phrases: TypeAlias = dict[str, tuple[tuple[str, ...], ...]]

LONGEST_ITEM = 3
"""The most words that name one item, its article aside."""

CUSHIONS = ("hedges", "politeness", "indirect")
"""The lexicons of phrases that make a sentence less direct."""

_TOKEN = Pattern(
    r"([^\W\d_]{2,}(?:['-][^\W\d_]+)*|[,;:—\"()-]|[ap]\.m\b\.?|(?:e\.g|i\.e)\.|[$€£]?[0-9]+(?:[.,:][0-9]+)*%?"
    r"|[^\W\d_](?:['-][^\W\d_]+)*|[.!?…]+[\"')\]]*(?=\s|$)|[.!?…]+|\n+)"
)
_ENDS = frozenset(".!?…\n")
_HALVES = frozenset(("half", "quarter"))
_ARTICLES = frozenset(("a", "an"))
_COUNTED = frozenset(("hundred", "thousand", "dozen", "couple", "hour", "half", "quarter"))
_NUMBER_WORDS = (frozenset(SMALL) | frozenset(SCALES) | _HALVES) - {"k", "grand", "one"} | {
    "noon",
    "midnight",
    "midday",
}
_LARGE = frozenset(("hundred", "thousand", "million"))
_JOINS_OR_AND = frozenset(("to", "until", "till", "-", "—", "and"))
_NOT_ONE_AFTER = frozenset("the this that these those no any every each which another some other same".split())
_OF_HALF = frozenset(("past", "to", "of", "a", "an"))
_HOURS = frozenset("hour hours hrs".split())
_LENGTHS = frozenset("hour hours minute minutes min mins hrs percent".split())


class Reference(NamedTuple):
    """Something specific that is named: a number with its unit, a time, a name or an item; offsets, end exclusive."""

    kind: Kind
    start: int
    end: int


class Sentence(NamedTuple):
    """A sentence: its tokens `first` to `last` (exclusive), and the character offsets of its words' start, of its
    end without and with the mark that ends it. `mark` is that mark, empty where there is none."""

    first: int
    last: int
    start: int
    end: int
    close: int
    mark: str


class Scan(NamedTuple):
    """A text with its tokens in lower case (words, numbers and punctuation marks), what each may be (bits of `Sort`),
    and where each stands."""

    text: str
    tokens: tuple[str, ...]
    sorts: tuple[int, ...]
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


def phrase_at(tokens: tuple[str, ...], place: int, phrases: Phrases) -> int:
    """How many tokens the longest phrase that stands at `place` has; 0 where none does."""
    second = tokens[place + 1] if place + 1 < len(tokens) else ""
    for phrase in phrases.get(tokens[place], ()):
        length = len(phrase)
        if length == 1 or (phrase[1] == second and (length == 2 or tokens[place : place + length] == phrase)):
            return length
    return 0


class Sort:
    """Bits that say what a word may be, wherever it stands; plain integers, since those of enum are slow."""

    END = 1
    NUMERAL = 2
    CONTENT = 4
    NAMEABLE = 8
    DETERMINER = 16
    DAY = 32
    ARTICLE = 64
    ONE = 128
    REFERENCE_PRONOUN = 256
    FIRST_PERSON = 512
    CUSHION = 1024


_FIRM = Sort.NUMERAL | Sort.DETERMINER | Sort.DAY | Sort.ARTICLE | Sort.ONE
_NAMING = _FIRM | Sort.CONTENT | Sort.NAMEABLE


@lru_cache(maxsize=65536)
def sort_of(token: str) -> int:
    """The bits of a token in lower case."""
    first = token[0]
    if first in "0123456789$€£":
        return Sort.NUMERAL
    if first in _ENDS:
        return Sort.END
    found = _listed().get(token, 0)
    head = token.partition("-")[0]
    if token in _NUMBER_WORDS or (head != token and head in _NUMBER_WORDS):
        found |= Sort.NUMERAL
    elif first.isalpha() and token not in lexicon()["common"] and len(token) > 1:
        found |= Sort.NAMEABLE
        if len(token) > 2 and "'" not in token[:-2]:
            found |= Sort.CONTENT
    return found


@cache
def _listed() -> dict[str, int]:
    """The words that a list names, or that a cushion starts with, with their bits."""
    lists = {
        Sort.DETERMINER: words_of("determiners"),
        Sort.DAY: words_of("days"),
        Sort.ARTICLE: _ARTICLES,
        Sort.ONE: {"one"},
        Sort.REFERENCE_PRONOUN: words_of("reference_pronouns"),
        Sort.FIRST_PERSON: words_of("first_person"),
        Sort.CUSHION: {first for name in CUSHIONS for first in phrases_of(name)},
    }
    return {word: sum(sort for sort, words in lists.items() if word in words) for word in set().union(*lists.values())}


@lru_cache(maxsize=128)  # few: what lives long is walked through again and again by the garbage collector
def scan(text: str) -> Scan:
    """Cut a text. Linear in its length; never raises."""
    low = level(text)
    tokens, sorts, spans = _cut(low)
    sentences = tuple(_sentences(text, tokens, sorts, spans))
    return Scan(text, tokens, sorts, spans, sentences, _References(text, tokens, sorts, spans, sentences).all())


Cut: TypeAlias = tuple[tuple[str, ...], tuple[int, ...], tuple[tuple[int, int], ...]]


def _cut(low: str) -> Cut:
    """The tokens of a levelled text, their bits and places. No token holds a blank but line breaks, and words come
    again, so that text of one line is cut at blanks first."""
    if "\n" in low:
        return _cut_whole(low)
    tokens: list[str] = []
    sorts: list[int] = []
    spans: list[tuple[int, int]] = []
    place = 0
    for chunk in low.split(" "):
        whole, found, bits, places = _chunk(chunk)
        if whole is not None:  # one token, as most are
            end = place + len(chunk)
            tokens.append(chunk)
            sorts.append(whole)
            spans.append((place, end))
            place = end + 1
            continue
        tokens += found
        sorts += bits
        for start, end in places:
            spans.append((place + start, place + end))
        place += len(chunk) + 1
    return tuple(tokens), tuple(sorts), tuple(spans)


def _cut_whole(low: str) -> Cut:
    spans = tuple([match.span() for match in _TOKEN.finditer(low)])
    tokens = tuple([low[start:end] for start, end in spans])
    return tokens, tuple(map(sort_of, tokens)), spans


@lru_cache(maxsize=65536)
def _chunk(chunk: str) -> tuple[int | None, *Cut]:
    """A piece without blanks, cut; before it the bits of its one token, where it is one from end to end."""
    tokens, sorts, spans = _cut_whole(chunk)
    return sorts[0] if tokens == (chunk,) else None, tokens, sorts, spans


def _sentences(
    text: str, tokens: Sequence[str], sorts: Sequence[int], spans: Sequence[tuple[int, int]]
) -> list[Sentence]:
    found: list[Sentence] = []
    first = 0
    for place in [*[p for p, sort in enumerate(sorts) if sort & Sort.END], len(tokens)]:
        at_end = place == len(tokens)
        breaks = at_end or tokens[place][0] == "\n"
        if not breaks and not _closes(text, spans[place][1]):
            continue
        while first < place and not tokens[first][0].isalnum() and tokens[first][0] not in "$€£":
            first += 1
        if first < place:
            mark = "" if breaks else tokens[place]
            end = spans[place][0] if mark else spans[place - 1][1]
            found.append(Sentence(first, place, spans[first][0], end, end + len(mark), mark))
        first = place + 1
    return found


def _closes(text: str, end: int) -> bool:
    return end == len(text) or text[end].isspace()


class _References:
    """Finds what is named, from left to right, each place once."""

    def __init__(
        self,
        text: str,
        tokens: tuple[str, ...],
        sorts: tuple[int, ...],
        spans: tuple[tuple[int, int], ...],
        sentences: tuple[Sentence, ...],
    ) -> None:
        self.text, self.spans = text, spans
        self.tokens = (*tokens, "", "", "")  # so that one may look ahead, and back from the first
        self.sorts = (*sorts, 0, 0, 0)
        self.openers = {sentence.first for sentence in sentences}
        self.before = words_of("before_items")

    def all(self) -> tuple[Reference, ...]:
        found: list[Reference] = []
        done = 0
        for place in self._places():
            if place < done:
                continue
            kind, first, last = self._at(place)
            if kind is not None:
                done = last = self._whole(last)
                found.append(Reference(kind, self.spans[first][0], self.spans[last - 1][1]))
        return tuple(found)

    def _places(self) -> list[int]:
        """Where something may be named: not at a small word inside a sentence that no article or list stands before."""
        text, tokens, spans, openers, before = self.text, self.tokens, self.spans, self.openers, self.before
        return [
            place
            for place, sort in enumerate(self.sorts)
            if sort & _FIRM
            or (
                sort & _NAMING
                and (tokens[place - 1] in before or place in openers or text[spans[place][0]] != tokens[place][0])
            )
        ]

    def _at(self, place: int) -> tuple[Kind | None, int, int]:
        """What is named at a token: its kind, first token and end; kind None where nothing is."""
        sort = self.sorts[place]
        if sort & Sort.ARTICLE and self.tokens[place + 1] in _COUNTED:
            return self._number(place)
        if sort & (Sort.NUMERAL | Sort.ONE):
            return self._number(place) if self._numeral(place) else (None, place, place)
        if sort & Sort.DAY:
            return "time", place, place + 1
        if sort & Sort.NAMEABLE and self._named(place):
            last = place + 1
            while self._named(last):
                last += 1
            return "name", place, last
        if sort & Sort.DETERMINER:
            last = self._content(place + 1)
            return ("item", place, last) if last > place + 1 else (None, place, place)
        if sort & Sort.CONTENT and self._introduced(place):
            last = self._content(place)
            if not self.tokens[last] or self.sorts[last] & Sort.END or self.tokens[last] in words_of("after_items"):
                return "item", place, last
        return None, place, place

    def _numeral(self, place: int) -> bool:
        sort = self.sorts[place]
        if sort & Sort.ONE:
            return bool(self.sorts[place + 1] & Sort.CONTENT) and self.tokens[place - 1] not in _NOT_ONE_AFTER
        return bool(sort & Sort.NUMERAL) and not self._glued(place)

    def _number(self, place: int) -> tuple[Kind, int, int]:
        last, timed = self._run(place)
        while self.tokens[last] in _JOINS_OR_AND and self._joins(place, last) and self._numeral(last + 1):
            last, more = self._run(last + 1)
            timed = timed or more
        return ("time" if timed else "number"), place, last

    def _joins(self, place: int, last: int) -> bool:
        return self.tokens[last] != "and" or self.tokens[place - 1] == "between"

    def _run(self, place: int) -> tuple[int, bool]:
        """The end of one number with its unit, and whether it is a time of day."""
        last = place + 1
        while (step := self._more(last)) > 0:
            last += step
        tokens = self.tokens[place:last]
        if any(":" in token or token in words_of("clock_tails") for token in tokens):
            return last, True
        bare = tokens[-1] not in _LENGTHS and tokens[0][0] not in "$€£"
        if bare and self.sorts[last] & Sort.CONTENT:
            return last + 1, False
        return last, bare and self.tokens[place - 1] in words_of("clock_leads")

    def _more(self, last: int) -> int:
        """How many of the next tokens still belong to the number that ends before `last`."""
        token, before = self.tokens[last], self.tokens[last - 1]
        if token == "and":
            return self._and_more(last, before)
        if (
            token in _LENGTHS
            or (self.sorts[last] & Sort.NUMERAL and self._numeral(last))
            or token in words_of("clock_tails")
        ):
            return 1
        if before in _ARTICLES and token in _COUNTED:
            return 1
        return int(before in _HALVES and token in _OF_HALF)

    def _and_more(self, last: int, before: str) -> int:
        if self.tokens[last + 1] == "a" and self.tokens[last + 2] in _HALVES:
            return 3
        if before in _HOURS:
            return self._minutes_more(last + 1) - last
        return 2 if before in _LARGE and self._numeral(last + 1) else 0

    def _minutes_more(self, place: int) -> int:
        """The end of the minutes behind "an hour and", which are one length with it, since half of it would be another
        length; one before `place` where none stand there."""
        end = place
        while self._numeral(end):
            end += 1
        if end > place and self.tokens[end] in _LENGTHS:
            return end + 1
        bare = not self.tokens[end] or self.sorts[end] & Sort.END or not self.tokens[end][0].isalnum()
        return end if end > place and bare else place - 1

    def _named(self, place: int) -> bool:
        """A capital inside a sentence, or a first word all in capitals, of somebody or something not being greeted."""
        if not self.sorts[place] & Sort.NAMEABLE or self.tokens[place - 1] in words_of("greetings"):
            return False
        start, end = self.spans[place]
        if place in self.openers:
            return self.text[start:end].isupper()
        return self.text[start] != self.tokens[place][0] and self.text[start].isupper()

    def _introduced(self, place: int) -> bool:
        """Whether a bare noun phrase may start here; behind a comma only where a list goes on."""
        before = self.tokens[place - 1]
        if before not in self.before:
            return False
        return before != "," or bool(self.sorts[place - 2] & Sort.CONTENT)

    def _glued(self, place: int) -> bool:
        """Written on to the word or number before it."""
        if not 0 < place < len(self.spans):
            return False
        return self.spans[place - 1][1] == self.spans[place][0] and self.tokens[place - 1][-1].isalnum()

    def _whole(self, last: int) -> int:
        """The end of what is named, with all that is written on to it."""
        while self._glued(last) and self.tokens[last][0].isalnum():
            last += 1
        return last

    def _content(self, place: int) -> int:
        last = place
        while last < place + LONGEST_ITEM and self.sorts[last] & Sort.CONTENT:
            last += 1
        return last
