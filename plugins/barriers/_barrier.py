"""What the barriers share: a directive read from YAML by severity band, and words distorted at sites drawn one by one.

Randomness is coupled: at every site of an utterance, in a fixed order, one uniform number says whether the site is
changed and one says into what. A site is changed where the first is below its kind's rate × severity, so that a higher
severity changes the same sites and more, into the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from adidem.core.domain import Directive
from adidem.core.lazy import LazyModule

if TYPE_CHECKING:
    from random import Random

    from adidem.core.language import measures as counting
    from adidem.core.language import scan as scanning
    from adidem.core.language.scan import Scan
else:
    counting = LazyModule("adidem.core.language.measures")
    scanning = LazyModule("adidem.core.language.scan")

BANDS: tuple[tuple[str, float], ...] = (("none", 0.10), ("light", 0.30), ("moderate", 0.55), ("strong", 0.80))
"""Bands with the severity at which the next one starts; from the last one up it is `extreme`."""

Quotas = Mapping[str, tuple[float, float]]
_HERE = Path(__file__).parent


def band(severity: float) -> str:
    """The band of a severity in [0, 1]. Raises ValueError outside."""
    if not 0.0 <= severity <= 1.0:
        raise ValueError(f"severity {severity!r} is not a number from 0 to 1")
    return next((name for name, end in BANDS if severity < end), "extreme")


class Site(NamedTuple):
    """A place that may be changed: characters `start` to `end` give way to a phrase of that kind (an insertion where
    they are equal). `opens`: what is put there opens a sentence whose old first word loses its capital, unless it
    `keeps` it. `also` are pieces (start, end, text) that change with it."""

    kind: str
    start: int
    end: int
    opens: bool = False
    keeps: bool = False
    also: tuple[tuple[int, int, str], ...] = ()


class PatternedBarrier:
    """A barrier by its YAML file: subclasses say which sites of an utterance may change."""

    name: ClassVar[str]

    def directive(self, severity: float) -> Directive:
        """The band's directive; in the band `none` an empty one, with which a prompt is what it is without."""
        return _directive(self.name, band(severity))

    def measure(self, utterance: str) -> Mapping[str, float]:
        """The counts of core/language/measures.py, and the sentiment where a band has a quota of it."""
        return counting.measures(utterance) if _tones(self.name) else counting.counts(utterance)

    def distort(self, utterance: str, severity: float, rng: Random) -> str:
        """The utterance at that severity. Nothing is added but this barrier's own phrases, which name no number, time,
        name, item or place. The generator is drawn from alike at every severity. Raises ValueError outside [0, 1]."""
        strength = 0.0 if band(severity) == "none" else severity
        spec = _read(self.name)["distort"]
        phrases = spec["phrases"]
        rates = {kind: rate * strength for kind, rate in spec["rates"].items()}
        draw = rng.random
        chosen: list[tuple[Site, str]] = []
        at = scanning.scan(utterance)
        for site in self.sites(at):
            lot, pick = draw(), draw()
            if lot < rates[site.kind]:
                options = phrases[site.kind]
                chosen.append((site, options[int(pick * len(options))]))
        return _rewritten(at, chosen) if chosen else utterance

    def sites(self, at: Scan) -> Iterable[Site]:
        """The places that may be changed, none overlapping another."""
        raise NotImplementedError

    def moves(self) -> Mapping[str, int]:
        """Its own measures: +1 where `distort` never lowers one as severity rises, -1 where it never raises it."""
        found: Mapping[str, int] = _read(self.name)["distort"]["moves"]
        return found

    def phrases(self) -> Mapping[str, Sequence[str]]:
        """Everything that `distort` may put into an utterance, by kind of site."""
        found: Mapping[str, Sequence[str]] = _read(self.name)["distort"]["phrases"]
        return found


@cache
def _read(name: str) -> dict[str, Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (_HERE / f"{name}.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506  a safe loader
    return found


@cache
def _tones(name: str) -> bool:
    return any("sentiment" in told["quotas"] for told in _read(name)["bands"].values())


@cache
def _directive(name: str, severity_band: str) -> Directive:
    if severity_band == "none":
        return Directive("", "", (), (), ())
    spec, common = _read(name), _read("_common")
    told = spec["bands"][severity_band]
    quotas = {measure: (float(low), float(high)) for measure, (low, high) in told["quotas"].items()}
    return Directive(
        style=spec["style"].strip(),
        stance=f"{told['stance'].strip()} {common['keeps'].strip()}",
        tactics=(*told["tactics"], _spoken(quotas, common)),
        mechanisms=tuple(told["mechanisms"]),
        exemplars=tuple(told["exemplars"]),
        quotas=quotas,
        sources=tuple(spec["sources"]),
    )


def _spoken(quotas: Quotas, common: Mapping[str, Any]) -> str:
    """The quotas in words, for the speaker."""
    parts = [
        f"{common['quotas'][name]} {low:g} to {high:g}" if low < high else f"{common['quotas'][name]} {low:g}"
        for name, (low, high) in quotas.items()
    ]
    return f"{common['each_turn']} {'; '.join(parts)}."


def _rewritten(at: Scan, chosen: Sequence[tuple[Site, str]]) -> str:
    """The text with the chosen phrases in place, capitals where sentences start."""
    pieces = [(site.start, site.end, phrase, site.opens, site.keeps) for site, phrase in chosen]
    pieces += [(*piece, False, False) for site, _ in chosen for piece in site.also]
    openers = {sentence.start for sentence in at.sentences}
    out: list[str] = []
    done, lowered = 0, False
    for start, end, phrase, opens, keeps in sorted(pieces, key=lambda piece: piece[:2]):
        lowered = _append(out, at.text[done:start], lowered)
        if start in openers:
            phrase = phrase[:1].upper() + phrase[1:]
        lowered = _append(out, phrase, lowered)
        if opens:
            lowered = not keeps
        done = end
    _append(out, at.text[done:], lowered)
    return "".join(out)


def _append(out: list[str], text: str, lowered: bool) -> bool:
    """Add a piece, its first letter small where it stands behind an opening; whether that is still to be done."""
    if not text:
        return lowered
    out.append(text[0].lower() + text[1:] if lowered and not text.startswith(("I ", "I'", "I’")) else text)
    return False


def references(at: Scan) -> list[Site]:
    """A site for everything specific that is named, its kind `number`, `time`, `name` or `item`."""
    return [Site(reference.kind, reference.start, reference.end) for reference in at.references]


def openings(at: Scan, kind: str, *, asked: bool | None = None) -> list[Site]:
    """A site before each sentence, of the questions or of the other sentences alone where `asked` says so."""
    return [
        Site(kind, sentence.start, sentence.start, opens=True, keeps=_keeps(at, sentence.first))
        for sentence in at.sentences
        if asked is None or ("?" in sentence.mark) == asked
    ]


def endings(at: Scan, kind: str) -> list[Site]:
    """A site at the end of each sentence, before the mark that ends it."""
    return [Site(kind, sentence.end, sentence.end) for sentence in at.sentences]


def marks(at: Scan, kind: str) -> list[Site]:
    """A site for each full stop that ends a sentence."""
    return [Site(kind, sentence.end, sentence.close) for sentence in at.sentences if sentence.mark == "."]


def _keeps(at: Scan, place: int) -> bool:
    """A first word that has its capital of its own: I, or one written in capitals."""
    token = at.tokens[place]
    if token[0] == "i" and (token == "i" or token[1] == "'"):
        return True
    start, end = at.spans[place]
    return end - start > 1 and at.text[start:end].isupper()


def cues(at: Scan, kind: str, lists: Mapping[str, Sequence[str]], taken: Iterable[Site] = ()) -> list[Site]:
    """A site for each phrase of a list that stands in the text, clear of the sites already taken."""
    phrases = _by_first(tuple(lists[kind]))
    found: list[Site] = []
    blocked = list(taken)
    done = 0
    for place in [place for place, token in enumerate(at.tokens) if token in phrases]:
        length = scanning.phrase_at(at.tokens, place, phrases) if place >= done else 0
        if length:
            done = place + length
            start, end = at.spans[place][0], at.spans[done - 1][1]
            if all(end <= site.start or site.end <= start for site in blocked):
                found.append(Site(kind, start, end))
    return found


@cache
def _by_first(lines: tuple[str, ...]) -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in sorted((tuple(line.split()) for line in lines), key=len, reverse=True):
        found[phrase[0]] = (*found.get(phrase[0], ()), phrase)
    return found


def cue_lists(name: str) -> Mapping[str, Sequence[str]]:
    """The phrases in the text that make a site, by kind, from a barrier's YAML file."""
    found: Mapping[str, Sequence[str]] = _read(name)["distort"]["cues"]
    return found
